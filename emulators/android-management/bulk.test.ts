import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, createClient, until } from '../../test/support/android-management-client.ts'
import { type AndroidEmulator, startAndroidManagement } from './index.ts'

let emulator: AndroidEmulator
let client: Client

beforeAll(async () => {
  emulator = await startAndroidManagement({ port: 0 })
  client = await createClient(emulator)
})
afterAll(() => emulator.close())

test('two thousand phones enroll, apply the policy and send notifications', async () => {
  const enterprise = await client.createEnterprise()
  await client.createPolicy(enterprise, 'default')
  await client.drain()
  const { value } = await client.createToken(enterprise)
  const { control } = emulator
  const started = control.startBulk({
    token_value: value,
    count: 2_000,
    per_second: 10_000,
    reaction_ms: 0,
  })
  expect(started).toMatchObject({ count: 2_000, is_running: true })
  expect(() => control.startBulk({ token_value: value, count: 1 })).toThrow('running already')
  const notifications = await client.drain(4_000)
  expect(control.bulkProgress()).toEqual({
    count: 2_000,
    enrolled: 2_000,
    failed: 0,
    is_running: false,
    error: null,
  })
  const active = notifications.filter(({ data }) => data['appliedState'] === 'ACTIVE')
  expect(new Set(active.map(({ data }) => data['name'])).size).toBe(2_000)
  expect(control.listPhones({ enterprise })).toHaveLength(2_000)
  expect(control.listEnterprises()).toMatchObject([{ name: enterprise, device_count: 2_000 }])
})

test('phones that cannot enroll are counted, with the reason', async () => {
  const enterprise = await client.createEnterprise()
  const { value } = await client.createToken(enterprise, { oneTimeOnly: true })
  emulator.control.startBulk({ token_value: value, count: 3, is_automatic: false })
  await until(() => !emulator.control.bulkProgress().is_running)
  expect(emulator.control.bulkProgress()).toMatchObject({
    enrolled: 1,
    failed: 2,
    error: expect.stringContaining('used') as string,
  })
})
