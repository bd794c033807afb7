import { describe, expect, it } from 'vitest'
import { readApiDescription } from '../../../platform/google/api-description.ts'
import { MANAGEMENT_MODES } from '../../../platform/postgres/tables/mdm.ts'
import { baselinePolicy } from './baseline.ts'
import { findPolicyFault } from './validation.ts'

const api = readApiDescription('android-management')

describe.each(MANAGEMENT_MODES)('the baseline of %s', (mode) => {
  const policy = baselinePolicy(mode)

  it('is one that the provider takes, by its description and by our own rules', () => {
    expect(findPolicyFault(api, policy, 262_144)).toBeUndefined()
  })

  it('says explicitly which apps there are', () => {
    expect(policy['playStoreMode']).toBe(mode === 'fully_managed' ? 'BLACKLIST' : 'WHITELIST')
  })

  it('gives a day to comply with a screen lock and encryption, and wipes after ten', () => {
    const rules = policy['policyEnforcementRules']
    expect(rules).toMatchObject([
      {
        settingName: 'passwordPolicies',
        blockAction: { blockAfterDays: 1 },
        wipeAction: { wipeAfterDays: 10 },
      },
      {
        settingName: 'encryptionPolicy',
        blockAction: { blockAfterDays: 1 },
        wipeAction: { wipeAfterDays: 10 },
      },
    ])
    expect(policy).toMatchObject({ encryptionPolicy: 'ENABLED_WITHOUT_PASSWORD' })
    expect(policy['passwordPolicies']).not.toHaveLength(0)
  })

  it('asks devices for what is shown of them, and for nothing more', () => {
    expect(policy['statusReportingSettings']).toEqual({
      softwareInfoEnabled: true,
      deviceSettingsEnabled: true,
    })
  })

  it('is another object each time, so that nobody changes it for all', () => {
    expect(baselinePolicy(mode)).toEqual(policy)
    expect(baselinePolicy(mode)).not.toBe(policy)
  })
})

it('leaves phones of their owners alone but for the profile', () => {
  const policy = baselinePolicy('work_profile')
  const ofTheWholeDevice = [
    'factoryResetDisabled',
    'systemUpdate',
    'autoDateAndTimeZone',
    'deviceConnectivityManagement',
    'removeUserDisabled',
  ]
  expect(Object.keys(policy).filter((name) => ofTheWholeDevice.includes(name))).toEqual([])
  // Set, it would be reported as a violation in this mode, and no device would ever comply.
  expect(policy['advancedSecurityOverrides']).not.toHaveProperty('developerSettings')
})
