import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { detailKey, policyIdOf, readReport } from './report.ts'

const NAME = 'enterprises/LC1/devices/d1'
const TOKEN_ID = '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07'
const read = (members: object) => readReport({ name: NAME, ...members })

describe('a report', () => {
  it('is parsed from the format of the provider', () => {
    const report = read({
      state: 'ACTIVE',
      appliedState: 'PROVISIONING',
      managementMode: 'PROFILE_OWNER',
      ownership: 'PERSONALLY_OWNED',
      policyName: 'enterprises/LC1/policies/p',
      appliedPolicyName: 'enterprises/LC1/policies/q',
      appliedPolicyVersion: '9007199254740991',
      policyCompliant: true,
      enrollmentTime: '2026-03-01T10:00:00Z',
      lastStatusReportTime: '2026-03-01T12:00:00.123456Z',
      enrollmentTokenName: 'enterprises/LC1/enrollmentTokens/t',
      enrollmentTokenData: JSON.stringify({ token_id: TOKEN_ID }),
      previousDeviceNames: ['enterprises/LC1/devices/d0'],
      apiLevel: 36,
      hardwareInfo: { brand: 'google', model: 'Pixel 9', serialNumber: 'S1' },
      softwareInfo: { androidVersion: '16', securityPatchLevel: '2026-02-05' },
    })
    expect(report).toMatchObject({
      name: NAME,
      enterprise: 'enterprises/LC1',
      state: 'active',
      management_mode: 'work_profile',
      ownership: 'personally_owned',
      policy_name: 'enterprises/LC1/policies/p',
      applied_policy_name: 'enterprises/LC1/policies/q',
      applied_policy_version: 9007199254740991,
      policy_compliant: true,
      enrolled_at: new Date('2026-03-01T10:00:00Z'),
      reported_at: new Date('2026-03-01T12:00:00.123Z'),
      token_id: TOKEN_ID,
      token_name: 'enterprises/LC1/enrollmentTokens/t',
      previous_names: ['enterprises/LC1/devices/d0'],
      api_level: 36,
      brand: 'google',
      manufacturer: null,
      serial_number: 'S1',
      os_version: '16',
    })
    expect(read({ managementMode: 'DEVICE_OWNER' })?.management_mode).toBe('fully_managed')
  })

  it('reports a deletion in either of two members', () => {
    expect(read({ state: 'ACTIVE', appliedState: 'DELETED' })?.state).toBe('deleted')
    expect(read({ state: 'DELETED', appliedState: 'ACTIVE' })?.state).toBe('deleted')
    expect(read({ appliedState: 'LOST' })?.state).toBe('lost')
    expect(read({ state: 'DEVICE_STATE_UNSPECIFIED' })?.state).toBeNull()
  })

  it('is rejected without the name of a device', () => {
    for (const name of [
      undefined,
      7,
      '',
      'devices/d1',
      'enterprises/LC1',
      `${NAME}/x`,
      `${NAME}\n`,
    ]) {
      expect(readReport({ name }), String(name)).toBeUndefined()
    }
    for (const wire of [undefined, null, 'x', 5, [], [NAME]]) {
      expect(readReport(wire)).toBeUndefined()
    }
  })

  it('is limited to what the database can store', () => {
    const text = (brand: string) => read({ hardwareInfo: { brand } })?.brand
    expect(text('a\0b')).toBe('ab')
    expect(text('\0')).toBeNull()
    expect(text(`${'x'.repeat(511)}😀`)).toBe(`${'x'.repeat(511)}\ufffd`)
    expect(text('x'.repeat(2000))).toHaveLength(512)
    const many = Array.from({ length: 500 }, (_, i) => ({ settingName: `s${i}` }))
    expect(read({ nonComplianceDetails: many })?.details).toHaveLength(200)
    const names = Array.from({ length: 50 }, (_, i) => `enterprises/LC1/devices/p${i}`)
    expect(read({ previousDeviceNames: names })?.previous_names.at(-1)).toBe(names.at(-1))
    expect(read({ previousDeviceNames: names })?.previous_names).toHaveLength(20)
    const odd = ['\0', '\ud800', 'p1'].map((id) => `enterprises/LC1/devices/${id}`)
    expect(read({ previousDeviceNames: odd })?.previous_names).toEqual([odd[2]])
  })

  it('drops details in progress before violations when there are too many', () => {
    const working = Array.from({ length: 300 }, (_, i) => ({
      settingName: 'applications',
      packageName: `a${i}`,
      nonComplianceReason: 'PENDING',
    }))
    const report = read({ nonComplianceDetails: [...working, { settingName: 'zzz' }] })
    expect(report?.details.map(({ setting_name }) => setting_name)).toContain('zzz')
  })

  it('contains each detail once, in an order that does not depend on the wire format', () => {
    const details = [
      { settingName: 'a', packageName: 'p', nonComplianceReason: 'PENDING' },
      { settingName: 'a', packageName: 'p', nonComplianceReason: 'USER_ACTION' },
      { settingName: 'b' },
      { nonComplianceReason: 'USER_ACTION' },
      null,
    ]
    const forth = read({ nonComplianceDetails: details })?.details
    expect(forth).toEqual(read({ nonComplianceDetails: details.toReversed() })?.details)
    expect(forth?.map(detailKey)).toEqual(['["a","p",null]', '["b",null,null]'])
    expect(forth?.[0]?.reason).toBe('USER_ACTION')
  })

  it('ignores malformed times, numbers and token data', () => {
    const times = ['yesterday', '2026-13-01T00:00:00Z', '2026-03-01', 1_700_000_000, null]
    // The last one is in the year 10000 in UTC.
    for (const time of [...times, '9999-12-31T23:59:59-01:00']) {
      expect(read({ lastStatusReportTime: time })?.reported_at, String(time)).toBeNull()
    }
    for (const version of ['-1', '1e3', '99999999999999999999', 1.5, {}]) {
      expect(read({ appliedPolicyVersion: version })?.applied_policy_version).toBeNull()
    }
    for (const data of ['', '{', '[]', '{"token_id":5}', '{"token_id":"x"}', 'null']) {
      expect(read({ enrollmentTokenData: data })?.token_id).toBeNull()
    }
  })

  it('refers to a policy of ours only in its own enterprise', () => {
    expect(policyIdOf('enterprises/LC1', `enterprises/LC1/policies/${TOKEN_ID}`)).toBe(TOKEN_ID)
    expect(policyIdOf('enterprises/LC1', `enterprises/LC2/policies/${TOKEN_ID}`)).toBeUndefined()
    expect(policyIdOf('enterprises/LC1', 'enterprises/LC1/policies/default')).toBeUndefined()
    expect(policyIdOf('enterprises/LC1', null)).toBeUndefined()
  })

  it('never fails to parse', () => {
    const members = [
      'name state appliedState managementMode ownership policyName appliedPolicyVersion',
      'policyCompliant nonComplianceDetails enrollmentTime lastStatusReportTime',
      'enrollmentTokenData previousDeviceNames hardwareInfo softwareInfo',
    ].flatMap((line) => line.split(' '))
    const garbage = fc.dictionary(fc.constantFrom(...members), fc.anything())
    fc.assert(
      fc.property(garbage, (given) => {
        expect(readReport({ ...given, name: NAME })?.name).toBe(NAME)
        readReport(given)
      }),
    )
    fc.assert(fc.property(fc.anything(), (given) => void readReport(given)))
  })
})
