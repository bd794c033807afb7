import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  findMessageFault,
  findMethod,
  readApiDescription,
} from '../../src/platform/google/api-description.ts'
import {
  type Answer,
  type Client,
  createClient,
  getAccessToken,
} from '../../test/support/android-management-client.ts'
import { type AndroidEmulator, startAndroidManagement } from './index.ts'
import type { EnrollmentToken, Json, Operation } from './resources.ts'

const api = readApiDescription('android-management')
let emulator: AndroidEmulator
let client: Client

beforeAll(async () => {
  emulator = await startAndroidManagement({ port: 0 })
  client = await createClient(emulator)
})
afterAll(() => emulator.close())

const EVERYTHING = {
  applicationReportsEnabled: true,
  deviceSettingsEnabled: true,
  displayInfoEnabled: true,
  memoryInfoEnabled: true,
  networkInfoEnabled: true,
  softwareInfoEnabled: true,
}

describe('every method', () => {
  test('of the description exists and answers with the described message', async () => {
    const called = new Set<string>()
    const call = async <T = Json>(
      verb: string,
      path: string,
      body?: unknown,
    ): Promise<Answer<T>> => {
      const method = findMethod(api, verb, `/v1/${path.split('?')[0]}`)
      const answer = await client.call<T>(verb, path, body)
      expect(answer, `${verb} ${path}`).toMatchObject({ status: 200 })
      const fault = findMessageFault(api, method?.response ?? '', answer.body, {
        is_request: false,
      })
      expect(fault, `${verb} ${path}`).toBeUndefined()
      called.add(method?.id ?? '')
      return answer
    }

    const project = 'projectId=vigil-emulator'
    const { body: signup } = await call<{ name: string }>(
      'POST',
      `signupUrls?${project}&callbackUrl=https://shop.example/&adminEmail=a@shop.example&allowedDomains=shop.example`,
    )
    const back = emulator.control.completeSignup(signup.name, { display_name: 'Shop' })
    const token = new URL(back.redirect_url).searchParams.get('enterpriseToken')
    const { body: enterprise } = await call<{ name: string }>(
      'POST',
      `enterprises?${project}&signupUrlName=${signup.name}&enterpriseToken=${token}`,
      { primaryColor: 255 },
    )
    const { name } = enterprise
    await call('GET', name)
    await call('PATCH', `${name}?updateMask=enterpriseDisplayName`, {
      enterpriseDisplayName: 'Other',
    })

    await call('PATCH', `${name}/policies/p`, {
      statusReportingSettings: EVERYTHING,
      applications: [{ packageName: 'com.example.app', installType: 'FORCE_INSTALLED' }],
    })
    await call('GET', `${name}/policies/p`)
    await call('GET', `${name}/policies?pageSize=5`)

    const { body: enrollment } = await call<EnrollmentToken>('POST', `${name}/enrollmentTokens`, {
      policyName: 'p',
      allowPersonalUsage: 'PERSONAL_USAGE_ALLOWED',
      oneTimeOnly: true,
      additionalData: 'org 1',
    })
    await call('GET', enrollment.name)
    await call('GET', `${name}/enrollmentTokens?pageSize=100`)
    const phone = emulator.control.enrollPhone({
      token_value: enrollment.value,
      is_automatic: false,
    })
    emulator.control.applyPolicy(phone.id)
    emulator.control.violate(phone.id, {
      setting_name: 'applications',
      reason: 'APP_NOT_INSTALLED',
    })

    const device = phone.device_name ?? ''
    await call('GET', device)
    await call('GET', `${name}/devices?pageSize=1`)
    await call('PATCH', `${device}?updateMask=state,disabledReason`, {
      state: 'DISABLED',
      disabledReason: { defaultMessage: 'Ask the office' },
    })
    const { body: operation } = await call<Operation>('POST', `${device}:issueCommand`, {
      type: 'LOCK',
    })
    await call('GET', operation.name)
    await call('GET', `${device}/operations?filter=done=false&pageSize=5`)
    await call('POST', `${operation.name}:cancel`)
    await call('DELETE', `${device}?wipeDataFlags=WIPE_EXTERNAL_STORAGE&wipeReasonMessage=Bye`)
    const { body: second } = await call<EnrollmentToken>('POST', `${name}/enrollmentTokens`, {})
    await call('DELETE', second.name)
    await call('DELETE', `${name}/policies/p`)
    await call('DELETE', name)

    expect([...called].sort()).toEqual(api.methods.map(({ id }) => id).sort())
  })

  test('has notifications as described', async () => {
    const name = await client.createEnterprise()
    await client.createPolicy(name, 'p', { statusReportingSettings: EVERYTHING })
    const token = await client.createToken(name, { policyName: 'p' })
    const { device_name } = emulator.control.enrollPhone({
      token_value: token.value,
      reaction_ms: 0,
    })
    for (const type of [
      'LOCK',
      'CLEAR_APP_DATA',
      'START_LOST_MODE',
      'STOP_LOST_MODE',
      'ADD_ESIM',
    ]) {
      const parameters = type === 'CLEAR_APP_DATA' && {
        clearAppsDataParams: { packageNames: ['com.example.app'] },
      }
      await client.issue(device_name ?? '', { type, ...parameters })
    }
    await client.issue(device_name ?? '', { requestDeviceInfoParams: { deviceInfo: 'EID' } })
    await client.issue(device_name ?? '', { type: 'WIPE' })
    const notifications = await client.drain(11)
    const messages = notifications.filter(({ type }) => type !== 'test')
    expect(messages.length).toBeGreaterThanOrEqual(10)
    for (const { type, data } of messages) {
      const message = type === 'COMMAND' ? 'Operation' : 'Device'
      expect(findMessageFault(api, message, data, { is_request: false }), type).toBeUndefined()
      if (type !== 'COMMAND') continue
      const { '@type': _type, ...command } = data['metadata'] as Json
      expect(findMessageFault(api, 'Command', command, { is_request: false })).toBeUndefined()
    }
  })
})

describe('a request', () => {
  const refused = async (verb: string, path: string, body?: unknown) => {
    const answer = await client.call<{ error: { message: string } }>(verb, path, body)
    const { error } = answer.body
    expect(error).toMatchObject({ code: answer.status })
    return { status: answer.status, error }
  }

  test('for an unknown path is 404', async () => {
    expect(await refused('GET', 'enterprises/LC1/gadgets')).toMatchObject({
      status: 404,
      error: { status: 'NOT_FOUND' },
    })
    expect((await refused('PUT', 'enterprises/LC1')).status).toBe(404)
  })

  test('for a missing resource of any kind is 404', async () => {
    const name = await client.createEnterprise()
    for (const path of ['policies/none', 'enrollmentTokens/none', 'devices/none']) {
      expect((await refused('GET', `${name}/${path}`)).error).toMatchObject({
        message: 'Requested entity was not found.',
      })
    }
    expect(
      (await refused('POST', `${name}/devices/none:issueCommand`, { type: 'LOCK' })).status,
    ).toBe(404)
    expect((await refused('GET', `${name}/devices/none/operations/1`)).status).toBe(404)
  })

  test.each([
    [
      'an unknown query parameter',
      'enterprises/LC1/devices?view=FULL',
      'Unknown name "view": Cannot bind query parameter.',
    ],
    [
      'a query parameter of another type',
      'enterprises/LC1/devices?pageSize=many',
      "Invalid value at 'pageSize'",
    ],
  ])('with %s is refused', async (_name, path, message) => {
    expect((await refused('GET', path)).error.message).toContain(message)
  })

  test.each<[string, Json, string]>([
    [
      'an unknown member',
      { camera: true },
      `Unknown name "camera" at 'policy': Cannot find field.`,
    ],
    [
      'an unknown member within',
      { applications: [{ name: 'a' }] },
      `Unknown name "name" at 'policy.applications[0]'`,
    ],
    ['an unknown enum value', { playStoreMode: 'OPEN' }, `Invalid value at 'policy.playStoreMode'`],
    ['a wrong type', { cameraDisabled: 'yes' }, `Invalid value at 'policy.cameraDisabled'`],
  ])('whose body has %s is refused with the message of Google', async (_name, body, message) => {
    const { status, error } = await refused('PATCH', 'enterprises/LC1/policies/p', body)
    expect(status).toBe(400)
    expect(error.message).toContain(`Invalid JSON payload received. ${message}`)
    expect(error).toMatchObject({
      status: 'INVALID_ARGUMENT',
      details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest' }],
    })
  })

  test('that sets an output-only member is refused', async () => {
    const name = await client.createEnterprise()
    const body = { enterpriseType: 'MANAGED_GOOGLE_DOMAIN' }
    expect((await refused('PATCH', name, body)).error.message).toContain('cannot be set')
  })

  test.each(['devices(name', 'devices/', ')'])(
    'with the broken field mask %s is refused',
    async (fields) => {
      const name = await client.createEnterprise()
      const { error } = await refused('GET', `${name}/devices?fields=${fields}`)
      expect(error.message).toContain('Invalid field selection')
    },
  )

  test('whose body is not JSON, or not an object, is refused', async () => {
    expect((await refused('PATCH', 'enterprises/LC1/policies/p', [])).status).toBe(400)
    const response = await fetch(`${emulator.url}/v1/enterprises/LC1`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${await getAccessToken(emulator)}` },
      body: '{',
    })
    expect(response.status).toBe(400)
  })
})
