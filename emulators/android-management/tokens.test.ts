import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../test/support/android-management-client.ts'
import { type AndroidEmulator, startAndroidManagement } from './index.ts'
import type { EnrollmentToken, Json } from './resources.ts'

let emulator: AndroidEmulator
let client: Client
let enterprise: string

beforeAll(async () => {
  emulator = await startAndroidManagement({ port: 0 })
  client = await createClient(emulator)
  enterprise = await client.createEnterprise()
  await client.createPolicy(enterprise, 'p')
})
afterAll(() => emulator.close())

const refuse = (body: Json) => client.call('POST', `${enterprise}/enrollmentTokens`, body)
const enroll = (token_value: string) =>
  emulator.control.enrollPhone({ token_value, is_automatic: false })

describe('a token', () => {
  test('has a value and a QR code in the format of Android', async () => {
    const token = await client.createToken(enterprise, { policyName: 'p' })
    expect(token.value).toMatch(/^[A-Z]{20}$/)
    expect(token.policyName).toBe(`${enterprise}/policies/p`)
    expect(JSON.parse(token.qrCode)).toMatchObject({
      'android.app.extra.PROVISIONING_DEVICE_ADMIN_COMPONENT_NAME':
        'com.google.android.apps.work.clouddpc/.receivers.CloudDeviceAdminReceiver',
      'android.app.extra.PROVISIONING_ADMIN_EXTRAS_BUNDLE': {
        'com.google.android.apps.work.clouddpc.EXTRA_ENROLLMENT_TOKEN': token.value,
      },
    })
    const phone = emulator.control.enrollPhone({ qr_content: token.qrCode, is_automatic: false })
    expect(phone.device?.enrollmentTokenName).toBe(token.name)
  })

  test('lasts an hour by default, by the emulated clock', async () => {
    const short = await client.createToken(enterprise)
    const long = await client.createToken(enterprise, { duration: '604800s' })
    const hours = (expiry: string) =>
      (Date.parse(expiry) - Date.parse(emulator.control.truth().now)) / 3_600_000
    expect(hours(short.expirationTimestamp)).toBeCloseTo(1, 1)
    expect(hours(long.expirationTimestamp)).toBeCloseTo(168, 1)
    emulator.control.advanceClock({ advance_seconds: 3_600 })
    expect((await client.call('GET', short.name)).status).toBe(404)
    expect(() => enroll(short.value)).toThrow('expired')
    expect((await client.call('GET', long.name)).status).toBe(200)
    expect(enroll(long.value).device_name).toContain(enterprise)
  })

  test('for one-time use enrolls one phone', async () => {
    const token = await client.createToken(enterprise, { oneTimeOnly: true })
    enroll(token.value)
    expect(() => enroll(token.value)).toThrow('used')
    expect((await client.call('GET', token.name)).status).toBe(404)
    const often = await client.createToken(enterprise)
    enroll(often.value)
    expect(enroll(often.value).device_name).not.toBeNull()
  })

  test('that was deleted enrolls no phone', async () => {
    const token = await client.createToken(enterprise)
    expect((await client.call('DELETE', token.name)).status).toBe(200)
    expect(() => enroll(token.value)).toThrow('unknown')
    expect((await client.call('DELETE', token.name)).status).toBe(404)
  })

  test('needs an existing policy, at least a minute, and at most 1024 characters of data', async () => {
    for (const body of [
      { policyName: 'none' },
      { policyName: 'enterprises/other/policies/p' },
      { duration: '59s' },
      { additionalData: 'x'.repeat(1_025) },
    ]) {
      expect(await refuse(body)).toMatchObject({
        status: 400,
        body: { error: { status: 'INVALID_ARGUMENT' } },
      })
    }
    const additionalData = 'x'.repeat(1_024)
    const { value } = await client.createToken(enterprise, { additionalData })
    expect(enroll(value).device?.enrollmentTokenData).toBe(additionalData)
  })

  test('accepts the full name of a policy, and refers to the policy default otherwise', async () => {
    const full = `${enterprise}/policies/p`
    expect((await client.createToken(enterprise, { policyName: full })).policyName).toBe(full)
    const { policyName } = await client.createToken(enterprise)
    expect(policyName).toBe(`${enterprise}/policies/default`)
  })
})

test('lists have pages of active tokens without their secrets', async () => {
  const name = await client.createEnterprise()
  const tokens: EnrollmentToken[] = []
  for (let at = 0; at < 4; at += 1) {
    tokens.push(await client.createToken(name, { additionalData: 'secret', oneTimeOnly: true }))
  }
  enroll(tokens[1]?.value ?? '')
  type List = { enrollmentTokens: Json[]; nextPageToken?: string }
  const first = await client.call<List>('GET', `${name}/enrollmentTokens?pageSize=2`)
  const query = `pageSize=2&pageToken=${first.body.nextPageToken}`
  const second = await client.call<List>('GET', `${name}/enrollmentTokens?${query}`)
  const listed = [...first.body.enrollmentTokens, ...second.body.enrollmentTokens]
  expect(listed.map((token) => token['name'])).toEqual([0, 2, 3].map((at) => tokens[at]?.name))
  expect(Object.keys(listed[0] ?? {}).sort()).toEqual([
    'expirationTimestamp',
    'name',
    'qrCode',
    'value',
  ])
})
