import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../test/support/android-management-client.ts'
import { type AndroidEmulator, startAndroidManagement } from './index.ts'

let emulator: AndroidEmulator
let client: Client
let enterprise: string

beforeEach(async () => {
  emulator = await startAndroidManagement({ port: 0 })
  client = await createClient(emulator)
  enterprise = await client.createEnterprise()
  await client.drain()
})
afterEach(() => emulator.close())

async function statuses(count: number): Promise<number[]> {
  const seen: number[] = []
  for (let at = 0; at < count; at += 1) seen.push((await client.call('GET', enterprise)).status)
  return seen
}

describe('calls', () => {
  test('are refused at the rate that is set, reproducibly by seed', async () => {
    const faults = { error_rate: 0.5, error_status: 429, seed: 7 } as const
    emulator.control.setFaults(faults)
    const first = await statuses(20)
    expect(new Set(first)).toEqual(new Set([200, 429]))
    emulator.control.setFaults(faults)
    expect(await statuses(20)).toEqual(first)
    emulator.control.setFaults({ ...faults, seed: 8 })
    expect(await statuses(20)).not.toEqual(first)
  })

  test('that are refused have no effect', async () => {
    await client.createPolicy(enterprise, 'default')
    const { value } = await client.createToken(enterprise)
    const phone = emulator.control.enrollPhone({ token_value: value, is_automatic: false })
    emulator.control.setFaults({ error_rate: 1 })
    const refused = await client.issue(phone.device_name ?? '', { type: 'LOCK' })
    expect(refused).toMatchObject({ status: 503, body: { error: { status: 'UNAVAILABLE' } } })
    expect(emulator.control.truth().issued).toEqual([])
  })

  test('that are carried out can lose their answer', async () => {
    await client.createPolicy(enterprise, 'default')
    const { value } = await client.createToken(enterprise)
    const { device_name } = emulator.control.enrollPhone({
      token_value: value,
      is_automatic: false,
    })
    emulator.control.setFaults({ lost_answer_rate: 1 })
    await expect(client.issue(device_name ?? '', { type: 'LOCK' })).rejects.toThrow('fetch failed')
    expect(emulator.control.truth().issued).toEqual([
      { device: device_name, type: 'LOCK', count: 1 },
    ])
  })

  test('fail while the service is unavailable, and the control interface still answers', async () => {
    emulator.control.setFaults({ unreachable: true })
    await expect(client.call('GET', enterprise)).rejects.toThrow('fetch failed')
    expect((await fetch(`${emulator.url}/control/faults`)).status).toBe(200)
    emulator.control.setFaults({})
    expect(await statuses(1)).toEqual([200])
    expect(emulator.control.requests().slice(-2)).toMatchObject([
      { method: 'GET', path: `/v1/${enterprise}`, status: null },
      { status: 200 },
    ])
  })

  test('are answered after the latency that is set', async () => {
    emulator.control.setFaults({ latency_ms: 20 })
    expect(await statuses(2)).toEqual([200, 200])
  })
})

describe('notifications', () => {
  async function enrollPhones(count: number): Promise<string[]> {
    const { value } = await client.createToken(enterprise)
    return Array.from({ length: count }, () => {
      const phone = emulator.control.enrollPhone({ token_value: value, is_automatic: false })
      return phone.device_name ?? ''
    })
  }
  const namesOf = async (min: number) =>
    (await client.drain(min)).map(({ data }) => String(data['name']))

  test('are lost at the rate that is set', async () => {
    emulator.control.setFaults({ notifications: { lost_rate: 0.5 } })
    const names = await enrollPhones(20)
    const received = await namesOf(1)
    expect(received.length).toBeLessThan(names.length)
    expect(names).toEqual(expect.arrayContaining(received))
  })

  test('are delivered twice with the same id', async () => {
    emulator.control.setFaults({ notifications: { duplicate_rate: 1 } })
    const names = await enrollPhones(3)
    const received = await client.drain(6)
    expect(received.map(({ data }) => data['name'])).toEqual(names.flatMap((name) => [name, name]))
    expect(new Set(received.map(({ messageId }) => messageId)).size).toBe(3)
  })

  test('are all delivered, in another order', async () => {
    emulator.control.setFaults({ notifications: { reorder_rate: 0.5 } })
    const names = await enrollPhones(20)
    const received = await namesOf(20)
    expect(received).not.toEqual(names)
    expect(received.toSorted()).toEqual(names.toSorted())
  })
})
