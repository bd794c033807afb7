import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AndroidEmulator, type EnrolRequest, startAndroidManagement } from './index.ts'
import type { Device, Json } from './resources.ts'
import { type Client, createClient, until } from './testing.ts'

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

async function enrol(how: Partial<EnrolRequest> = {}, token: Json = {}) {
  const { value } = await client.createToken(enterprise, { policyName: 'p', ...token })
  const phone = emulator.control.enrolPhone({ token_value: value, reaction_ms: 0, ...how })
  return { ...phone, name: phone.device_name ?? '' }
}

type List = { devices: Device[]; nextPageToken?: string }

describe('an enrolment', () => {
  test('is told first, and the policy once it is applied', async () => {
    await client.drain()
    const { name } = await enrol()
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
    async (allowPersonalUsage, told, managementMode, ownership) => {
      const how = { is_automatic: false, ...(told && { ownership: told }) }
      const { device } = await enrol(how, { allowPersonalUsage })
      expect(device).toMatchObject({ managementMode, ownership })
    },
  )

  test('of a personal phone is refused where personal usage is', async () => {
    const token = { allowPersonalUsage: 'PERSONAL_USAGE_DISALLOWED' }
    await expect(enrol({ ownership: 'PERSONALLY_OWNED' }, token)).rejects.toThrow('disallows')
  })

  test('of a personal phone hides its serial number behind an id that lasts', async () => {
    const how = {
      serial_number: 'SECRET1',
      ownership: 'PERSONALLY_OWNED',
      is_automatic: false,
    } as const
    const first = await enrol(how)
    const hardware = first.device?.hardwareInfo ?? {}
    expect(hardware['serialNumber']).toBe(hardware['enterpriseSpecificId'])
    expect(JSON.stringify(hardware)).not.toContain('SECRET1')
    emulator.control.resetPhone(first.id)
    const second = await enrol(how)
    expect(second.device?.hardwareInfo).toEqual(hardware)
  })

  test('after a reset has another name and knows the earlier one', async () => {
    const how = { serial_number: 'AGAIN1', is_automatic: false }
    const first = await enrol(how)
    await expect(enrol(how)).rejects.toThrow('managed already')
    await client.drain()
    emulator.control.resetPhone(first.id)
    expect((await client.device(first.name)).status).toBe(200)
    const second = await enrol(how)
    expect(second.id).toBe(first.id)
    expect(second.name).not.toBe(first.name)
    expect(second.device?.previousDeviceNames).toEqual([first.name])
    expect((await client.drain(1)).map(({ type }) => type)).toEqual(['ENROLLMENT'])
  })

  test('without a policy stays in provisioning until there is one', async () => {
    const name = await client.createEnterprise()
    const { value } = await client.createToken(name)
    const phone = emulator.control.enrolPhone({ token_value: value, reaction_ms: 0 })
    expect(emulator.control.report(phone.id).device).toMatchObject({ state: 'PROVISIONING' })
    await client.createPolicy(name, 'default')
    await until(() => emulator.control.getPhone(phone.id).applied_state === 'ACTIVE')
    expect((await client.device(phone.device_name ?? '')).body.state).toBe('ACTIVE')
  })
})

describe('a report', () => {
  test('tells of the phone what the policy asks for', async () => {
    const { id, device } = await enrol({ is_automatic: false })
    expect(device).not.toHaveProperty('softwareInfo')
    await client.createPolicy(enterprise, 'p', {
      statusReportingSettings: { softwareInfoEnabled: true },
    })
    const { device: after } = emulator.control.applyPolicy(id)
    expect(after?.softwareInfo).toMatchObject({ androidVersion: '15' })
    expect(after).not.toHaveProperty('networkInfo')
  })

  test('tells violations until they are repaired, each with a later time', async () => {
    const { id } = await enrol({ is_automatic: false })
    emulator.control.applyPolicy(id)
    emulator.control.violate(id, {
      setting_name: 'applications',
      reason: 'APP_NOT_INSTALLED',
      package_name: 'com.example.app',
      field_path: 'applications[0]',
    })
    const broken = emulator.control.violate(id, { setting_name: 'passwordPolicies' }).device
    // What is false is left out.
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
    const mended = emulator.control.repair(id).device
    expect(mended).toMatchObject({ policyCompliant: true })
    expect(mended).not.toHaveProperty('nonComplianceDetails')
    const times = [broken, half, mended].map((device) => device?.lastStatusReportTime ?? '')
    expect(times).toEqual([...new Set(times)].sort())
  })

  test('does not come from a phone that is silent, and comes when it is heard again', async () => {
    const { id, name } = await enrol()
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
  test('disables and enables, which the phone takes over', async () => {
    const { name } = await enrol()
    const disable = { state: 'DISABLED', disabledReason: { defaultMessage: 'Lost' } }
    const { body } = await client.call('PATCH', `${name}?updateMask=state,disabledReason`, disable)
    expect(body).toMatchObject(disable)
    await until(async () => (await client.device(name)).body.appliedState === 'DISABLED')
    await client.call('PATCH', `${name}?updateMask=state`, { state: 'ACTIVE' })
    await until(async () => (await client.device(name)).body.appliedState === 'ACTIVE')
  })

  test('is 304 where nothing changes, and 400 for what cannot be changed', async () => {
    const { name } = await enrol({ is_automatic: false })
    const patch = async (mask: string, body: Json) =>
      (await client.call('PATCH', `${name}?updateMask=${mask}`, body)).status
    expect(await patch('policyName', { policyName: 'p' })).toBe(304)
    expect(await patch('policyName', { policyName: 'none' })).toBe(400)
    expect(await patch('state', { state: 'DELETED' })).toBe(400)
    expect(await patch('apiLevel', { apiLevel: 3 })).toBe(400)
  })
})

describe('devices.list', () => {
  test('has pages of ten unless told otherwise, of a hundred at most, and only the fields asked for', async () => {
    const name = await client.createEnterprise()
    const { value } = await client.createToken(name)
    const names = Array.from({ length: 105 }, () => {
      const phone = emulator.control.enrolPhone({ token_value: value, is_automatic: false })
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
  test('hides the device at once; its phone goes when it next talks, with a last report', async () => {
    const { id, name } = await enrol({ is_automatic: false })
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

  test('takes a reason of 200 characters', async () => {
    const { name } = await enrol({ is_automatic: false })
    const remove = (length: number) =>
      client.call('DELETE', `${name}?wipeReasonMessage=${'x'.repeat(length)}`)
    expect((await remove(201)).status).toBe(400)
    expect((await remove(200)).status).toBe(200)
  })
})
