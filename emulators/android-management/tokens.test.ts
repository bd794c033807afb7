import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AndroidEmulator, startAndroidManagement } from './index.ts'
import type { EnrollmentToken, Json } from './resources.ts'
import { type Client, createClient } from './testing.ts'

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
const enrol = (token_value: string) =>
  emulator.control.enrolPhone({ token_value, is_automatic: false })

describe('a token', () => {
  test('has a value and a code in the form that phones know', async () => {
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
    const phone = emulator.control.enrolPhone({ qr_content: token.qrCode, is_automatic: false })
    expect(phone.device?.enrollmentTokenName).toBe(token.name)
  })

  test('lasts an hour unless told otherwise, by the clock of the emulated world', async () => {
    const short = await client.createToken(enterprise)
    const long = await client.createToken(enterprise, { duration: '604800s' })
    const hours = (expiry: string) =>
      (Date.parse(expiry) - Date.parse(emulator.control.truth().now)) / 3_600_000
    expect(hours(short.expirationTimestamp)).toBeCloseTo(1, 1)
    expect(hours(long.expirationTimestamp)).toBeCloseTo(168, 1)
    emulator.control.advanceClock({ advance_seconds: 3_600 })
    expect((await client.call('GET', short.name)).status).toBe(404)
    expect(() => enrol(short.value)).toThrow('expired')
    expect((await client.call('GET', long.name)).status).toBe(200)
    expect(enrol(long.value).device_name).toContain(enterprise)
  })

  test('for one time enrols one phone', async () => {
    const token = await client.createToken(enterprise, { oneTimeOnly: true })
    enrol(token.value)
    expect(() => enrol(token.value)).toThrow('used')
    expect((await client.call('GET', token.name)).status).toBe(404)
    const often = await client.createToken(enterprise)
    enrol(often.value)
    expect(enrol(often.value).device_name).not.toBeNull()
  })

  test('that was deleted enrols none', async () => {
    const token = await client.createToken(enterprise)
    expect((await client.call('DELETE', token.name)).status).toBe(200)
    expect(() => enrol(token.value)).toThrow('unknown')
    expect((await client.call('DELETE', token.name)).status).toBe(404)
  })

  test('needs a policy that is there, a minute at least and no more than 1024 characters', async () => {
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
    expect(enrol(value).device?.enrollmentTokenData).toBe(additionalData)
  })

  test('takes a policy by its full name, and the one named default when none is told', async () => {
    const full = `${enterprise}/policies/p`
    expect((await client.createToken(enterprise, { policyName: full })).policyName).toBe(full)
    const { policyName } = await client.createToken(enterprise)
    expect(policyName).toBe(`${enterprise}/policies/default`)
  })
})

test('lists show the active ones, in part and in pages', async () => {
  const name = await client.createEnterprise()
  const tokens: EnrollmentToken[] = []
  for (let at = 0; at < 4; at += 1) {
    tokens.push(await client.createToken(name, { additionalData: 'secret', oneTimeOnly: true }))
  }
  enrol(tokens[1]?.value ?? '')
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
