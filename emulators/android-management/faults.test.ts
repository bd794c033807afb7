import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type AndroidEmulator, startAndroidManagement } from './index.ts'
import { type Client, createClient } from './testing.ts'

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
  test('are refused at the rate that was set, by a chance that repeats', async () => {
    const faults = { error_rate: 0.5, error_status: 429, seed: 7 } as const
    emulator.control.setFaults(faults)
    const first = await statuses(20)
    expect(new Set(first)).toEqual(new Set([200, 429]))
    emulator.control.setFaults(faults)
    expect(await statuses(20)).toEqual(first)
    emulator.control.setFaults({ ...faults, seed: 8 })
    expect(await statuses(20)).not.toEqual(first)
  })

  test('that are refused have done nothing', async () => {
    await client.createPolicy(enterprise, 'default')
    const { value } = await client.createToken(enterprise)
    const phone = emulator.control.enrolPhone({ token_value: value, is_automatic: false })
    emulator.control.setFaults({ error_rate: 1 })
    const refused = await client.issue(phone.device_name ?? '', { type: 'LOCK' })
    expect(refused).toMatchObject({ status: 503, body: { error: { status: 'UNAVAILABLE' } } })
    expect(emulator.control.truth().issued).toEqual([])
  })

  test('that are carried out can stay without an answer', async () => {
    await client.createPolicy(enterprise, 'default')
    const { value } = await client.createToken(enterprise)
    const { device_name } = emulator.control.enrolPhone({ token_value: value, is_automatic: false })
    emulator.control.setFaults({ lost_answer_rate: 1 })
    await expect(client.issue(device_name ?? '', { type: 'LOCK' })).rejects.toThrow('fetch failed')
    expect(emulator.control.truth().issued).toEqual([
      { device: device_name, type: 'LOCK', count: 1 },
    ])
  })

  test('come to nothing while the service is away, and the control interface stays', async () => {
    emulator.control.setFaults({ away: true })
    await expect(client.call('GET', enterprise)).rejects.toThrow('fetch failed')
    expect((await fetch(`${emulator.url}/control/faults`)).status).toBe(200)
    emulator.control.setFaults({})
    expect(await statuses(1)).toEqual([200])
    expect(emulator.control.requests().slice(-2)).toMatchObject([
      { method: 'GET', path: `/v1/${enterprise}`, status: null },
      { status: 200 },
    ])
  })

  test('are slow when they have to be, and answered all the same', async () => {
    emulator.control.setFaults({ latency_ms: 20 })
    expect(await statuses(2)).toEqual([200, 200])
  })
})

describe('notifications', () => {
  async function enrolled(count: number): Promise<string[]> {
    const { value } = await client.createToken(enterprise)
    return Array.from({ length: count }, () => {
      const phone = emulator.control.enrolPhone({ token_value: value, is_automatic: false })
      return phone.device_name ?? ''
    })
  }
  const namesOf = async (min: number) =>
    (await client.drain(min)).map(({ data }) => String(data['name']))

  test('are lost', async () => {
    emulator.control.setFaults({ notifications: { lost_rate: 0.5 } })
    const names = await enrolled(20)
    const told = await namesOf(1)
    expect(told.length).toBeLessThan(names.length)
    expect(names).toEqual(expect.arrayContaining(told))
  })

  test('come twice, under one id', async () => {
    emulator.control.setFaults({ notifications: { duplicate_rate: 1 } })
    const names = await enrolled(3)
    const told = await client.drain(6)
    expect(told.map(({ data }) => data['name'])).toEqual(names.flatMap((name) => [name, name]))
    expect(new Set(told.map(({ messageId }) => messageId)).size).toBe(3)
  })

  test('come in another order, and all of them', async () => {
    emulator.control.setFaults({ notifications: { reorder_rate: 0.5 } })
    const names = await enrolled(20)
    const told = await namesOf(20)
    expect(told).not.toEqual(names)
    expect(told.toSorted()).toEqual(names.toSorted())
  })
})
