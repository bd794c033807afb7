import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient, until } from '../../test/support/android-management-client.ts'
import { type AndroidEmulator, type EnrollRequest, startAndroidManagement } from './index.ts'
import type { Device, Json } from './resources.ts'

let emulator: AndroidEmulator
let client: Client
let enterprise: string

beforeAll(async () => {
  emulator = await startAndroidManagement({ port: 0 })
  client = await createClient(emulator)
  enterprise = await client.createEnterprise()
  await client.createPolicy(enterprise, 'p')
  await client.createPolicy(enterprise, 'q')
})
afterAll(() => emulator.close())

async function enroll(how: Partial<EnrollRequest> = {}, token: Json = {}) {
  const { value } = await client.createToken(enterprise, { policyName: 'p', ...token })
  const phone = emulator.control.enrollPhone({ token_value: value, reaction_ms: 0, ...how })
  return { ...phone, name: phone.device_name ?? '' }
}

type List = { devices: Device[]; nextPageToken?: string }

describe('an enrollment', () => {
  test('sends a notification, and another one when the policy is applied', async () => {
    await client.drain()
    const { name } = await enroll()
    expect(await client.drain(2)).toMatchObject([
      { type: 'ENROLLMENT', data: { name, state: 'PROVISIONING', appliedState: 'PROVISIONING' } },
      {
        type: 'STATUS_REPORT',
        data: { name, state: 'ACTIVE', appliedState: 'ACTIVE', policyCompliant: true },
      },
    ])
  })

  test.each([
    ['PERSONAL_USAGE_DISALLOWED', undefined, 'DEVICE_OWNER', 'COMPANY_OWNED'],
    ['PERSONAL_USAGE_ALLOWED', undefined, 'PROFILE_OWNER', 'PERSONALLY_OWNED'],
    ['PERSONAL_USAGE_ALLOWED', 'COMPANY_OWNED', 'PROFILE_OWNER', 'COMPANY_OWNED'],
    [undefined, undefined, 'DEVICE_OWNER', 'COMPANY_OWNED'],
  ] as const)(
    'with %s of %s is %s, %s',
    async (allowPersonalUsage, requested, managementMode, ownership) => {
      const how = { is_automatic: false, ...(requested && { ownership: requested }) }
      const { device } = await enroll(how, { allowPersonalUsage })
      expect(device).toMatchObject({ managementMode, ownership })
    },
  )

  test('of a personal phone is refused where personal usage is disallowed', async () => {
    const token = { allowPersonalUsage: 'PERSONAL_USAGE_DISALLOWED' }
    await expect(enroll({ ownership: 'PERSONALLY_OWNED' }, token)).rejects.toThrow('disallows')
  })

  test('of a personal phone replaces its serial number by a stable id', async () => {
    const how = {
      serial_number: 'SECRET1',
      ownership: 'PERSONALLY_OWNED',
      is_automatic: false,
    } as const
    const first = await enroll(how)
    const hardware = first.device?.hardwareInfo ?? {}
    expect(hardware['serialNumber']).toBe(hardware['enterpriseSpecificId'])
    expect(JSON.stringify(hardware)).not.toContain('SECRET1')
    emulator.control.resetPhone(first.id)
    const second = await enroll(how)
    expect(second.device?.hardwareInfo).toEqual(hardware)
  })

  test('after a reset has a new device name and lists the earlier one', async () => {
    const how = { serial_number: 'AGAIN1', is_automatic: false }
    const first = await enroll(how)
    await expect(enroll(how)).rejects.toThrow('managed already')
    await client.drain()
    emulator.control.resetPhone(first.id)
    expect((await client.device(first.name)).status).toBe(200)
    const second = await enroll(how)
    expect(second.id).toBe(first.id)
    expect(second.name).not.toBe(first.name)
    expect(second.device?.previousDeviceNames).toEqual([first.name])
    expect((await client.drain(1)).map(({ type }) => type)).toEqual(['ENROLLMENT'])
  })

  test('without a policy remains in provisioning until there is one', async () => {
    const name = await client.createEnterprise()
    const { value } = await client.createToken(name)
    const phone = emulator.control.enrollPhone({ token_value: value, reaction_ms: 0 })
    expect(emulator.control.report(phone.id).device).toMatchObject({ state: 'PROVISIONING' })
    await client.createPolicy(name, 'default')
    await until(() => emulator.control.getPhone(phone.id).applied_state === 'ACTIVE')
    expect((await client.device(phone.device_name ?? '')).body.state).toBe('ACTIVE')
  })
})

describe('a report', () => {
  test('has the sections that the policy requests', async () => {
    const { id, device } = await enroll({ is_automatic: false })
    expect(device).not.toHaveProperty('softwareInfo')
    await client.createPolicy(enterprise, 'p', {
      statusReportingSettings: { softwareInfoEnabled: true },
    })
    const { device: after } = emulator.control.applyPolicy(id)
    expect(after?.softwareInfo).toMatchObject({ androidVersion: '15' })
    expect(after).not.toHaveProperty('networkInfo')
  })

  test('lists violations until they are repaired, and has a later time each', async () => {
    const { id } = await enroll({ is_automatic: false })
    emulator.control.applyPolicy(id)
    emulator.control.violate(id, {
      setting_name: 'applications',
      reason: 'APP_NOT_INSTALLED',
      package_name: 'com.example.app',
      field_path: 'applications[0]',
    })
    const broken = emulator.control.violate(id, { setting_name: 'passwordPolicies' }).device
    // Google's APIs omit members that are false.
    expect(broken?.policyCompliant).toBeUndefined()
    expect(broken?.nonComplianceDetails).toEqual([
      {
        settingName: 'applications',
        nonComplianceReason: 'APP_NOT_INSTALLED',
        packageName: 'com.example.app',
        fieldPath: 'applications[0]',
        installationFailureReason: 'INSTALLATION_FAILURE_REASON_UNKNOWN',
      },
      { settingName: 'passwordPolicies', nonComplianceReason: 'USER_ACTION' },
    ])
    const half = emulator.control.repair(id, { setting_name: 'applications' }).device
    expect(half?.nonComplianceDetails).toHaveLength(1)
    const repaired = emulator.control.repair(id).device
    expect(repaired).toMatchObject({ policyCompliant: true })
    expect(repaired).not.toHaveProperty('nonComplianceDetails')
    const times = [broken, half, repaired].map((device) => device?.lastStatusReportTime ?? '')
    expect(times).toEqual([...new Set(times)].sort())
  })

  test('is not sent by a phone that is offline, and is sent when it is online again', async () => {
    const { id, name } = await enroll()
    await until(() => emulator.control.getPhone(id).applied_state === 'ACTIVE')
    emulator.control.changePhone(id, { is_silent: true })
    await client.call('PATCH', `${name}?updateMask=policyName`, { policyName: 'q' })
    expect(() => emulator.control.report(id)).toThrow('silent')
    const { body } = await client.device(name)
    expect(body).toMatchObject({ policyName: `${enterprise}/policies/q` })
    expect(body.appliedPolicyName).toBe(`${enterprise}/policies/p`)
    emulator.control.changePhone(id, { is_silent: false })
    await until(
      async () => (await client.device(name)).body.appliedPolicyName?.endsWith('/q') === true,
    )
  })
})

describe('devices.patch', () => {
  test('disables and enables a device, and its phone applies the state', async () => {
    const { name } = await enroll()
    const disable = { state: 'DISABLED', disabledReason: { defaultMessage: 'Lost' } }
    const { body } = await client.call('PATCH', `${name}?updateMask=state,disabledReason`, disable)
    expect(body).toMatchObject(disable)
    await until(async () => (await client.device(name)).body.appliedState === 'DISABLED')
    await client.call('PATCH', `${name}?updateMask=state`, { state: 'ACTIVE' })
    await until(async () => (await client.device(name)).body.appliedState === 'ACTIVE')
  })

  test('is 304 if nothing changes, and 400 for members that cannot be changed', async () => {
    const { name } = await enroll({ is_automatic: false })
    const patch = async (mask: string, body: Json) =>
      (await client.call('PATCH', `${name}?updateMask=${mask}`, body)).status
    expect(await patch('policyName', { policyName: 'p' })).toBe(304)
    expect(await patch('policyName', { policyName: 'none' })).toBe(400)
    expect(await patch('state', { state: 'DELETED' })).toBe(400)
    expect(await patch('apiLevel', { apiLevel: 3 })).toBe(400)
  })
})

describe('devices.list', () => {
  test('has pages of ten by default and of a hundred at most, with the requested fields only', async () => {
    const name = await client.createEnterprise()
    const { value } = await client.createToken(name)
    const names = Array.from({ length: 105 }, () => {
      const phone = emulator.control.enrollPhone({ token_value: value, is_automatic: false })
      return phone.device_name
    })
    const list = async (query: string) =>
      (await client.call<List>('GET', `${name}/devices?${query}`)).body
    expect((await list('')).devices).toHaveLength(10)
    const first = await list('pageSize=500&fields=nextPageToken,devices(name)')
    expect(first.devices).toHaveLength(100)
    expect(Object.keys(first.devices[0] ?? {})).toEqual(['name'])
    const rest = await list(`pageSize=100&pageToken=${first.nextPageToken}&fields=devices/name`)
    expect([...first.devices, ...rest.devices].map((device) => device.name)).toEqual(names)
    expect(rest).not.toHaveProperty('nextPageToken')
    expect(await list('fields=nextPageToken')).not.toHaveProperty('devices')
  })
})

describe('devices.delete', () => {
  test('hides the device immediately; its phone sends a last report at its next check-in', async () => {
    const { id, name } = await enroll({ is_automatic: false })
    emulator.control.applyPolicy(id)
    emulator.control.changePhone(id, { is_silent: true, is_automatic: true })
    await client.drain()
    const query = 'wipeDataFlags=WIPE_EXTERNAL_STORAGE&wipeDataFlags=PRESERVE_RESET_PROTECTION_DATA'
    expect((await client.call('DELETE', `${name}?${query}`)).body).toEqual({})
    expect((await client.device(name)).status).toBe(404)
    expect((await client.call('DELETE', name)).status).toBe(404)
    const { body } = await client.call<List>('GET', `${enterprise}/devices?pageSize=100`)
    expect(body.devices.map((device) => device.name)).not.toContain(name)
    expect(emulator.control.getPhone(id)).toMatchObject({ device_name: name, device: null })
    expect(await client.drain()).toEqual([])
    emulator.control.changePhone(id, { is_silent: false })
    expect(await client.drain(1)).toMatchObject([
      { type: 'STATUS_REPORT', data: { name, state: 'DELETED', appliedState: 'DELETED' } },
    ])
    expect(emulator.control.getPhone(id).device_name).toBeNull()
  })

  test('accepts a reason of up to 200 characters', async () => {
    const { name } = await enroll({ is_automatic: false })
    const remove = (length: number) =>
      client.call('DELETE', `${name}?wipeReasonMessage=${'x'.repeat(length)}`)
    expect((await remove(201)).status).toBe(400)
    expect((await remove(200)).status).toBe(200)
  })
})
