import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COMPLIANCE_STATES, DEVICE_STATES } from '../tables.ts'
import { type ComplianceFacts, type ComplianceSettings, deriveCompliance } from './compliance.ts'
import type { ReportedDetail } from './report.ts'

const SETTINGS: ComplianceSettings = { mdm_grace_hours: 0, mdm_installation_grace_hours: 24 }
const START = Date.parse('2026-03-01T00:00:00Z')
const hour = (hours: number) => new Date(START + hours * 3_600_000)
const UNKNOWN = { compliance_state: 'unknown', grace_period_expires_at: null } as const

const detail = (setting_name: string, members: Partial<ReportedDetail> = {}): ReportedDetail => ({
  setting_name,
  field_path: null,
  package_name: null,
  reason: 'USER_ACTION',
  specific_reason: null,
  installation_failure_reason: null,
  ...members,
})
const rule = (settingName: string, blockAfterDays?: number) => ({
  settingName,
  blockAction: { ...(blockAfterDays !== undefined && { blockAfterDays }) },
  wipeAction: { wipeAfterDays: 90 },
})

/** A device that reported at the start. */
const facts = (members: Partial<ComplianceFacts> = {}): ComplianceFacts => ({
  state: 'active',
  last_report_at: hour(0),
  policy_compliant: false,
  details: [],
  first_seen: {},
  is_policy_pending: false,
  before: UNKNOWN,
  ...members,
})
const stateOf = (given: ComplianceFacts, rules: unknown, now: Date, settings = SETTINGS) =>
  deriveCompliance(given, rules, settings, now).compliance_state

describe('compliance', () => {
  it('is unknown without a report, while the device is provisioned, and when it is deleted', () => {
    expect(stateOf(facts({ last_report_at: null }), [], hour(1))).toBe('unknown')
    expect(stateOf(facts({ state: 'provisioning' }), [], hour(1))).toBe('unknown')
    expect(stateOf(facts({ state: 'deleted', policy_compliant: true }), [], hour(1))).toBe(
      'unknown',
    )
  })

  it('follows the provider when it reports compliance, even with details left over', () => {
    const given = facts({ policy_compliant: true, details: [detail('passwordPolicies')] })
    const derived = deriveCompliance(given, [], SETTINGS, hour(1))
    expect(derived.compliance_state).toBe('compliant')
    expect(derived.non_compliance_details).toHaveLength(1)
    expect(derived.grace_period_expires_at).toBeNull()
  })

  it('has a grace period until the policy blocks, counted from the first report', () => {
    const given = facts({ details: [detail('passwordPolicies')] })
    const derived = deriveCompliance(given, [rule('passwordPolicies', 1)], SETTINGS, hour(23))
    expect(derived).toMatchObject({
      compliance_state: 'grace_period',
      grace_period_expires_at: hour(24),
      compliance_due_at: hour(24),
    })
    expect(derived.non_compliance_details[0]).toMatchObject({
      setting_name: 'passwordPolicies',
      first_seen_at: hour(0).toISOString(),
      grace_period_expires_at: hour(24).toISOString(),
    })
    expect(stateOf(given, [rule('passwordPolicies', 1)], hour(24))).toBe('non_compliant')
    const later = { ...given, last_report_at: hour(30), first_seen: derived.first_seen }
    expect(stateOf(later, [rule('passwordPolicies', 1)], hour(30))).toBe('non_compliant')
  })

  it('starts a new grace period after a violation was repaired in between', () => {
    const first = deriveCompliance(facts({ details: [detail('a')] }), [], SETTINGS, hour(0))
    const repaired = facts({
      policy_compliant: true,
      last_report_at: hour(5),
      first_seen: first.first_seen,
    })
    expect(deriveCompliance(repaired, [], SETTINGS, hour(5)).first_seen).toEqual({})
  })

  it.each([
    'passwordPolicies',
    'encryptionPolicy',
    'keyguardDisabled',
    'permittedInputMethods',
    'permittedAccessibilityServices',
    'minimumApiLevel',
  ])('is lost immediately by %s without a rule, whatever the default grace period', (setting) => {
    const settings = { ...SETTINGS, mdm_grace_hours: 48 }
    const given = facts({ details: [detail(setting)] })
    expect(stateOf(given, [], hour(0), settings)).toBe('non_compliant')
    expect(stateOf(given, [rule(setting, 1)], hour(0), settings)).toBe('grace_period')
    expect(stateOf(facts({ details: [detail('cameraDisabled')] }), [], hour(0), settings)).toBe(
      'grace_period',
    )
  })

  it('has a grace period for changes that the device is still applying', () => {
    const pending = facts({ details: [detail('applications', { reason: 'PENDING' })] })
    const installing = facts({
      details: [detail('applications', { installation_failure_reason: 'IN_PROGRESS' })],
    })
    for (const given of [pending, installing]) {
      expect(stateOf(given, [], hour(23))).toBe('grace_period')
      expect(stateOf(given, [], hour(24))).toBe('non_compliant')
      expect(stateOf(given, [rule('applications', 2)], hour(24))).toBe('grace_period')
    }
  })

  it('is lost at the earliest deadline', () => {
    const given = facts({ details: [detail('a'), detail('b')] })
    const rules = [rule('a', 3), rule('b', 1)]
    expect(deriveCompliance(given, rules, SETTINGS, hour(1)).grace_period_expires_at).toEqual(
      hour(24),
    )
    expect(stateOf(given, rules, hour(25))).toBe('non_compliant')
  })

  it('is lost by a device that does not comply and reports no details', () => {
    expect(stateOf(facts(), [], hour(0))).toBe('non_compliant')
    const settings = { ...SETTINGS, mdm_grace_hours: 2 }
    const first = deriveCompliance(facts(), [], settings, hour(1))
    expect(first).toMatchObject({
      compliance_state: 'grace_period',
      grace_period_expires_at: hour(2),
      non_compliance_details: [],
    })
    const again = facts({ last_report_at: hour(1.5), first_seen: first.first_seen })
    expect(stateOf(again, [], hour(2), settings)).toBe('non_compliant')
  })

  it('is unchanged while a policy is pending, except that a grace period ends', () => {
    const pending = (before: ComplianceFacts['before']) =>
      facts({ details: [detail('a')], is_policy_pending: true, before })
    const compliant = { compliance_state: 'compliant', grace_period_expires_at: null } as const
    expect(stateOf(pending(compliant), [], hour(1))).toBe('compliant')
    expect(stateOf(pending(UNKNOWN), [], hour(1))).toBe('unknown')
    const granted = pending({
      compliance_state: 'grace_period',
      grace_period_expires_at: hour(5),
    })
    expect(deriveCompliance(granted, [], SETTINGS, hour(4)).compliance_due_at).toEqual(hour(5))
    expect(stateOf(granted, [], hour(5))).toBe('non_compliant')
  })

  it('follows the stricter of two rules and ignores malformed ones', () => {
    const given = facts({ details: [detail('a')] })
    const after = (rules: unknown) =>
      deriveCompliance(given, rules, SETTINGS, hour(0)).grace_period_expires_at
    expect(after([rule('a', 5), rule('a', 2)])).toEqual(hour(48))
    expect(after([rule('a')])).toBeNull()
    expect(after([{ settingName: 'a', wipeAction: { wipeAfterDays: 3 } }, null, 'x'])).toBeNull()
    expect(after([rule('a', 2_147_483_647)])).toEqual(new Date(Date.UTC(9999, 11, 31)))
    expect(after([rule('a', -3)])).toBeNull()
    expect(after('rules')).toBeNull()
  })
})

const anyDetail = fc.record({
  setting_name: fc.constantFrom('passwordPolicies', 'applications', 'a', 'b'),
  field_path: fc.constantFrom(null, 'x', 'y'),
  package_name: fc.constantFrom(null, 'p'),
  reason: fc.constantFrom('USER_ACTION', 'PENDING'),
  specific_reason: fc.constant(null),
  installation_failure_reason: fc.constantFrom(null, 'IN_PROGRESS'),
})
const anyRule = fc.oneof(
  fc.record({
    settingName: fc.constantFrom('passwordPolicies', 'applications', 'a'),
    blockAction: fc.record({ blockAfterDays: fc.integer({ min: 0, max: 10 }) }),
  }),
  fc.anything(),
)
const anyBefore = fc
  .record({
    compliance_state: fc.constantFrom(...COMPLIANCE_STATES),
    expires: fc.integer({ min: 0, max: 500 }),
  })
  .map(({ compliance_state, expires }) => ({
    compliance_state,
    grace_period_expires_at: compliance_state === 'grace_period' ? hour(expires) : null,
  }))
const anyFacts: fc.Arbitrary<ComplianceFacts> = fc.record({
  state: fc.constantFrom(...DEVICE_STATES),
  last_report_at: fc.option(fc.integer({ min: 0, max: 300 }).map(hour)),
  policy_compliant: fc.constantFrom(true, false, null),
  details: fc.uniqueArray(anyDetail, {
    maxLength: 6,
    selector: (given) => `${given.setting_name} ${given.field_path} ${given.package_name}`,
  }),
  first_seen: fc.dictionary(fc.constantFrom('["a",null,null]', '[]', 'x'), fc.string()),
  is_policy_pending: fc.boolean(),
  before: anyBefore,
})
const anyCase = {
  facts: anyFacts,
  rules: fc.array(anyRule, { maxLength: 5 }),
  settings: fc.record({
    mdm_grace_hours: fc.integer({ min: 0, max: 100 }),
    mdm_installation_grace_hours: fc.integer({ min: 0, max: 100 }),
  }),
  now: fc.integer({ min: 0, max: 600 }).map(hour),
}

describe('compliance, for any report', () => {
  const holds = (
    check: (given: {
      facts: ComplianceFacts
      rules: unknown[]
      settings: ComplianceSettings
      now: Date
    }) => void,
  ) => fc.assert(fc.property(fc.record(anyCase), check), { numRuns: 500 })

  it('is the same when it is derived again from its own result', () => {
    holds(({ facts: given, rules, settings, now }) => {
      const once = deriveCompliance(given, rules, settings, now)
      const { first_seen } = once
      const again = { ...given, first_seen, before: once }
      expect(deriveCompliance(again, rules, settings, now)).toEqual(once)
    })
  })

  it('does not depend on the order of the details', () => {
    holds(({ facts: given, rules, settings, now }) => {
      const turned = { ...given, details: given.details.toReversed() }
      const { non_compliance_details: forth, ...once } = deriveCompliance(
        given,
        rules,
        settings,
        now,
      )
      const { non_compliance_details: back, ...again } = deriveCompliance(
        turned,
        rules,
        settings,
        now,
      )
      expect(again).toEqual(once)
      expect(back.toReversed()).toEqual(forth)
    })
  })

  it('has a deadline in the future in the state grace_period, and in no other', () => {
    holds(({ facts: given, rules, settings, now }) => {
      const derived = deriveCompliance(given, rules, settings, now)
      const expires = derived.grace_period_expires_at
      expect(derived.compliance_state === 'grace_period').toBe(expires !== null)
      expect(derived.compliance_due_at).toEqual(expires)
      if (expires) expect(expires.getTime()).toBeGreaterThan(now.getTime())
    })
  })

  it('never improves by the passing of time', () => {
    holds(({ facts: given, rules, settings, now }) => {
      const once = deriveCompliance(given, rules, settings, now)
      const later = new Date(now.getTime() + 200 * 3_600_000)
      const { first_seen } = once
      const then = deriveCompliance({ ...given, first_seen, before: once }, rules, settings, later)
      if (once.compliance_state !== 'grace_period') {
        expect(then.compliance_state).toBe(once.compliance_state)
      } else {
        expect(['grace_period', 'non_compliant']).toContain(then.compliance_state)
      }
    })
  })

  it('counts from a reported or stored time, never from the future', () => {
    holds(({ facts: given, rules, settings, now }) => {
      const { first_seen } = deriveCompliance(given, rules, settings, now)
      for (const since of Object.values(first_seen)) {
        expect(Date.parse(since)).toBeLessThanOrEqual(given.last_report_at?.getTime() ?? 0)
      }
    })
  })
})
