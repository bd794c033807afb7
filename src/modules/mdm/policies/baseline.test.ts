import { describe, expect, it } from 'vitest'
import { readApiDescription } from '../../../platform/google/api-description.ts'
import { MANAGEMENT_MODES } from '../tables.ts'
import { baselinePolicy } from './baseline.ts'
import { findPolicyFault } from './validation.ts'

const api = readApiDescription('android-management')

describe.each(MANAGEMENT_MODES)('the baseline of %s', (mode) => {
  const policy = baselinePolicy(mode)

  it('is valid by the API description and our own rules', () => {
    expect(findPolicyFault(api, policy, 262_144)).toBeUndefined()
  })

  it('sets the Play Store mode explicitly', () => {
    expect(policy['playStoreMode']).toBe(mode === 'fully_managed' ? 'BLACKLIST' : 'WHITELIST')
  })

  it('blocks after a day without screen lock or encryption, and wipes after ten days', () => {
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

  it('requests from devices only the reports that are shown', () => {
    expect(policy['statusReportingSettings']).toEqual({
      softwareInfoEnabled: true,
      deviceSettingsEnabled: true,
    })
  })

  it('is a new object each time, so that a caller cannot change it for others', () => {
    expect(baselinePolicy(mode)).toEqual(policy)
    expect(baselinePolicy(mode)).not.toBe(policy)
  })
})

it('limits personally owned phones only in their work profile', () => {
  const policy = baselinePolicy('work_profile')
  const deviceWide = [
    'factoryResetDisabled',
    'systemUpdate',
    'autoDateAndTimeZone',
    'deviceConnectivityManagement',
    'removeUserDisabled',
  ]
  expect(Object.keys(policy).filter((name) => deviceWide.includes(name))).toEqual([])
  // In this mode, devices report it as a violation, so that none would ever comply.
  expect(policy['advancedSecurityOverrides']).not.toHaveProperty('developerSettings')
})
