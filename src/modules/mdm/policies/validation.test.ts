import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readApiDescription } from '../../../platform/google/api-description.ts'
import { findPolicyFault } from './validation.ts'

const api = readApiDescription('android-management')
const faultOf = (policy: Record<string, unknown>) => findPolicyFault(api, policy, 10_000)

const rule = (members: object = {}) => ({
  settingName: 'passwordPolicies',
  blockAction: { blockAfterDays: 1 },
  wipeAction: { wipeAfterDays: 10 },
  ...members,
})
const enforcing = (...policyEnforcementRules: object[]) => ({ policyEnforcementRules })

describe('a policy', () => {
  it('may be empty, and may leave out the apps', () => {
    expect(faultOf({})).toBeUndefined()
    expect(faultOf({ cameraDisabled: true })).toBeUndefined()
  })

  it.each([
    [{ name: 'x' }, 'policy_json.name', 'policy_json.name cannot be set'],
    [{ version: '3' }, 'policy_json.version', 'policy_json.version cannot be set'],
    [{ kiosk: true }, 'policy_json.kiosk', 'policy_json.kiosk is not a known member'],
    [
      { cameraDisabled: 'yes' },
      'policy_json.cameraDisabled',
      'policy_json.cameraDisabled must be boolean',
    ],
    [
      { applications: [{ packageName: 'a.b', installType: 'ALWAYS' }] },
      'policy_json.applications.0.installType',
      expect.stringContaining('policy_json.applications.0.installType must be one of') as unknown,
    ],
    [
      { passwordPolicies: [{}, { passwordMinimumLength: 1.5 }] },
      'policy_json.passwordPolicies.1.passwordMinimumLength',
      'policy_json.passwordPolicies.1.passwordMinimumLength must be a whole number of 32 bits',
    ],
    [
      { passwordPolicies: {} },
      'policy_json.passwordPolicies',
      'policy_json.passwordPolicies must be array',
    ],
    [{ systemUpdate: null }, 'policy_json.systemUpdate', 'policy_json.systemUpdate must be object'],
    [
      { shortSupportMessage: { defaultMessage: 'x'.repeat(10_000) } },
      'policy_json',
      'policy_json must have at most 10000 bytes',
    ],
  ])('is refused with the path of the fault: %j', (policy, field, message) => {
    expect(faultOf(policy)).toEqual({ field, message })
  })

  it('is measured in bytes, not in characters', () => {
    const withText = (text: string) => ({ shortSupportMessage: { defaultMessage: text } })
    const around = JSON.stringify(withText('')).length
    expect(faultOf(withText('ä'.repeat((10_000 - around) / 2)))).toBeUndefined()
    expect(faultOf(withText('ä'.repeat((10_000 - around) / 2 + 1)))?.field).toBe('policy_json')
  })

  it('accepts any configuration of a network or an app', () => {
    const policy = {
      openNetworkConfiguration: { NetworkConfigurations: [{ GUID: 'a', WiFi: { SSID: 'Till' } }] },
      applications: [{ packageName: 'a.b', managedConfiguration: { any: [1, null, { x: {} }] } }],
    }
    expect(faultOf(policy)).toBeUndefined()
  })

  it('is accepted or refused, and never causes an exception, with any content', () => {
    const members = fc.constantFrom(...Object.keys(api.messages['Policy'] ?? {}), '__proto__', '')
    const garbage = fc.dictionary(members, fc.jsonValue())
    fc.assert(
      fc.property(garbage, (policy) => {
        const fault = faultOf(policy)
        if (fault === undefined) return true
        return fault.field.startsWith('policy_json') && fault.message.startsWith(fault.field)
      }),
      { numRuns: 500 },
    )
  })
})

describe('an enforcement rule', () => {
  const AT = 'policy_json.policyEnforcementRules'

  it('needs a setting and both actions, whose default is zero days', () => {
    expect(faultOf(enforcing(rule(), rule({ settingName: 'applications' })))).toBeUndefined()
    expect(faultOf(enforcing(rule({ blockAction: {} })))).toBeUndefined()
  })

  it.each([
    [{ settingName: undefined }, '0.settingName'],
    [{ settingName: 'pinLength' }, '0.settingName'],
    [{ settingName: 'name' }, '0.settingName'],
    [{ settingName: 'policyEnforcementRules' }, '0.settingName'],
    [{ settingName: 'toString' }, '0.settingName'],
    [{ blockAction: undefined }, '0.blockAction'],
    [{ wipeAction: undefined }, '0.wipeAction'],
    [{ blockAction: { blockAfterDays: -1 } }, '0.blockAction.blockAfterDays'],
    [{ blockAction: { blockAfterDays: 10 } }, '0.wipeAction.wipeAfterDays'],
    [{ blockAction: {}, wipeAction: {} }, '0.wipeAction.wipeAfterDays'],
  ])('is refused with the path of its fault: %j', (members, path) => {
    // Removes undefined members, which JSON cannot have.
    const policy = JSON.parse(JSON.stringify(enforcing(rule(members)))) as Record<string, unknown>
    expect(faultOf(policy)?.field).toBe(`${AT}.${path}`)
  })

  it('is named by its index in the list', () => {
    const faulty = rule({ wipeAction: { wipeAfterDays: 1 } })
    expect(faultOf(enforcing(rule(), faulty))).toEqual({
      field: `${AT}.1.wipeAction.wipeAfterDays`,
      message: `${AT}.1.wipeAction.wipeAfterDays must be greater than blockAfterDays`,
    })
  })
})
