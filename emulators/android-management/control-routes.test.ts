import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../test/support/android-management-client.ts'
import { type AndroidEmulator, type PhoneView, startAndroidManagement } from './index.ts'
import type { Json } from './resources.ts'

let emulator: AndroidEmulator
let client: Client
let enterprise: string
let token: string

beforeAll(async () => {
  emulator = await startAndroidManagement({ port: 0 })
  client = await createClient(emulator)
  enterprise = await client.createEnterprise()
  await client.createPolicy(enterprise, 'default')
  token = (await client.createToken(enterprise)).value
})
afterAll(() => emulator.close())

async function control<T = Json>(method: string, path: string, body?: unknown) {
  const response = await fetch(`${emulator.url}/control/${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as T }
}

describe('the control interface', () => {
  test('controls a phone from its enrollment to its reset', async () => {
    const { body: phone } = await control<PhoneView>('POST', 'phones', {
      token_value: token,
      is_automatic: false,
      serial_number: 'LIFE1',
      brand: 'Samsung',
      model: 'SM-A556B',
      android_version: '14',
    })
    expect(phone).toMatchObject({ enterprise, serial_number: 'LIFE1', api_level: 34 })
    const path = `phones/${phone.id}`
    const act = async (action: string, body?: Json) => {
      const answer = await control<PhoneView>('POST', `${path}/${action}`, body)
      expect(answer.status, action).toBe(200)
      return answer.body
    }
    expect(await act('apply-policy')).toMatchObject({ applied_state: 'ACTIVE' })
    expect(await act('violate', { setting_name: 'applications' })).toMatchObject({
      violations: [{ settingName: 'applications', nonComplianceReason: 'USER_ACTION' }],
    })
    expect((await act('repair', { setting_name: 'applications' })).violations).toEqual([])
    expect((await act('report')).device).toMatchObject({ policyCompliant: true })

    const name = phone.device_name ?? ''
    const first = await client.issue(name, { type: 'LOCK' })
    const second = await client.issue(name, { type: 'REBOOT' })
    const { body: pending } = await control<PhoneView>('GET', path)
    const ids = pending.pending_commands.map(({ id }) => id)
    expect(ids).toEqual([first, second].map(({ body }) => body.name.split('/').at(-1)))
    expect(await act(`commands/${ids[0]}/acknowledge`)).toMatchObject({ done: true })
    expect(await act(`commands/${ids[1]}/fail`, { error_code: 'UNSUPPORTED' })).toMatchObject({
      done: true,
      metadata: { errorCode: 'UNSUPPORTED' },
    })
    expect((await control('PATCH', path, { is_silent: true })).body).toMatchObject({
      is_silent: true,
    })
    expect(await control('POST', `${path}/report`)).toMatchObject({
      status: 400,
      body: { error: { status: 'FAILED_PRECONDITION' } },
    })
    expect(await act('reset')).toMatchObject({ device_name: null, device: null })
    expect((await client.device(name)).status).toBe(200)
  })

  test('finds phones by their id and the id of their device, and lists them by enterprise', async () => {
    const { body: phone } = await control<PhoneView>('POST', 'phones', { token_value: token })
    const device = (phone.device_name ?? '').split('/').at(-1)
    expect((await control('GET', `phones/${device}`)).body).toMatchObject({ id: phone.id })
    const list = async (query: string) =>
      (await control<{ phones: PhoneView[] }>('GET', `phones${query}`)).body.phones
    expect((await list(`?enterprise=${enterprise}&limit=1`)).map(({ id }) => id)).toEqual([
      phone.id,
    ])
    expect(await list('?enterprise=LC0')).toEqual([])
  })

  test('completes a sign-up, enrolls many phones, and returns the whole state', async () => {
    const query = 'projectId=vigil-emulator&callbackUrl=https://shop.example/'
    const { body: signup } = await client.call<{ name: string }>('POST', `signupUrls?${query}`)
    const id = signup.name.split('/').at(-1)
    const done = await control('POST', `signups/${id}`, { display_name: 'Shop' })
    expect(done.body['redirect_url']).toContain('https://shop.example/?enterpriseToken=')
    const bulk = await control('POST', 'phones/bulk', { token_value: token, count: 1 })
    expect(bulk.body).toMatchObject({ count: 1, enrolled: 1 })
    expect((await control('GET', 'phones/bulk')).body).toEqual(bulk.body)
    const { body: truth } = await control('GET', 'truth')
    expect(Object.keys(truth)).toEqual([
      'now',
      'enterprises',
      'policies',
      'devices',
      'phones',
      'operations',
      'issued',
    ])
    expect((await control('GET', 'service-account')).body).toMatchObject({
      type: 'service_account',
      project_id: 'vigil-emulator',
      token_uri: `${emulator.url}/token`,
    })
    expect((await control('GET', 'enterprises')).body).toMatchObject({
      enterprises: [{ name: enterprise }],
    })
  })

  test('advances the clock, sets faults and returns the recorded requests', async () => {
    const before = Date.parse(emulator.control.truth().now)
    const { body } = await control<{ now: string }>('POST', 'clock', { advance_seconds: 90 })
    expect(Date.parse(body.now) - before).toBeGreaterThanOrEqual(90_000)
    expect((await control('PUT', 'faults', { latency_ms: 1 })).body).toEqual({ latency_ms: 1 })
    expect((await control('GET', 'faults')).body).toEqual({ latency_ms: 1 })
    await control('PUT', 'faults', {})
    await client.call('GET', `${enterprise}/devices?pageSize=3`)
    const { body: recorded } = await control<{ requests: Json[] }>('GET', 'requests')
    expect(recorded.requests.at(-1)).toMatchObject({
      method: 'GET',
      path: `/v1/${enterprise}/devices?pageSize=3`,
      status: 200,
    })
  })

  test.each<[string, string, unknown, string]>([
    ['POST', 'phones', {}, 'token_value'],
    ['POST', 'phones', { qr_content: '{}' }, 'token_value'],
    ['POST', 'phones', { token_value: 'A', color: 'red' }, 'color'],
    ['POST', 'phones', { token_value: 'A', ownership: 'MINE' }, 'ownership'],
    ['PUT', 'faults', { notifications: { lost_rate: 2 } }, 'notifications.lost_rate'],
    ['POST', 'clock', { advance_seconds: -1 }, 'advance_seconds'],
  ])('refuses %s %s with %j, naming the member', async (method, path, body, member) => {
    const answer = await control<{ error: { message: string } }>(method, path, body)
    expect(answer.status).toBe(400)
    expect(answer.body.error.message).toContain(member)
  })

  test('answers 404 for unknown phones, sign-ups and paths', async () => {
    expect((await control('GET', 'phones/none')).status).toBe(404)
    expect((await control('POST', 'signups/none')).status).toBe(404)
    expect((await control('GET', 'everything')).status).toBe(404)
  })
})
