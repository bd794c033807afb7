import { describe, expect, it } from 'vitest'
import { readApiDescription } from '../../../platform/google/api-description.ts'
import { findPolicyFaults } from './faults.ts'

const api = readApiDescription('android-management')
const faultsOf = (policy: Record<string, unknown>, bytesMax = 10_000) =>
  findPolicyFaults(api, policy, bytesMax).map(({ field }) => field)

describe('findPolicyFaults', () => {
  it('finds none in a valid policy', () => {
    expect(faultsOf({ playStoreMode: 'BLACKLIST', cameraDisabled: true })).toEqual([])
  })

  it('finds all faults, and does not change the policy', () => {
    const policy = {
      cameraDisabled: 'yes',
      applications: [
        { packageName: 'com.example.till', installType: 'ALWAYS' },
        { packageName: 7, installType: 'BLOCKED' },
      ],
      color: 'red',
      policyEnforcementRules: [{ settingName: 'passwordPolicies' }],
    }
    const before = structuredClone(policy)
    expect(faultsOf(policy)).toEqual([
      'policy_json.cameraDisabled',
      'policy_json.applications.0.installType',
      'policy_json.applications.1.packageName',
      'policy_json.color',
      'policy_json.policyEnforcementRules.0.blockAction',
    ])
    expect(policy).toEqual(before)
  })

  it('ends when no member can be removed', () => {
    expect(faultsOf({ applications: [1, 2] })).toEqual(['policy_json.applications.0'])
    expect(faultsOf({ cameraDisabled: true }, 3)).toEqual(['policy_json'])
    expect(faultsOf({ name: 'x', version: 1 })).toEqual(['policy_json.name', 'policy_json.version'])
  })

  it('finds members whose names contain dots', () => {
    expect(faultsOf({ 'a.b': 1, color: 1 })).toEqual(['policy_json.a.b', 'policy_json.color'])
  })

  it('returns at most fifty', () => {
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`x${index}`, 1]))
    expect(faultsOf(many)).toHaveLength(50)
  })
})
