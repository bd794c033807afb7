/**
 * Derives whether a device complies with its policy (OP-29). The provider reports violations without
 * their age, so the grace period of each one starts with the first report of it and ends when the policy
 * has the device blocked.
 */
import { HOUR_MS } from '../../../platform/time-units.ts'
import type { ComplianceState, DeviceState, NonComplianceDetail } from '../tables.ts'
import { detailKey, isInProgress, type ReportedDetail } from './report.ts'

export type ComplianceSettings = {
  /** The grace period of settings without an enforcement rule. */
  mdm_grace_hours: number
  /** The minimum grace period of changes that the device is still applying. */
  mdm_installation_grace_hours: number
}

export type ComplianceFacts = {
  state: DeviceState
  /** Time of the last report by the provider's clock; null without a report. */
  last_report_at: Date | null
  policy_compliant: boolean | null
  /** The violations of the last report. */
  details: readonly ReportedDetail[]
  /** ISO 8601 times by `detailKey`. */
  first_seen: Readonly<Record<string, string>>
  /** The device has not applied the current version of its policy yet. */
  is_policy_pending: boolean
  /** The previous result. */
  before: { compliance_state: ComplianceState; grace_period_expires_at: Date | null }
}

export type Compliance = {
  compliance_state: ComplianceState
  non_compliance_details: NonComplianceDetail[]
  first_seen: Record<string, string>
  /** Set only in the state `grace_period`. */
  grace_period_expires_at: Date | null
  /** The time at which the result changes without a new report. */
  compliance_due_at: Date | null
}

const DAY_HOURS = 24
/** Later years have five digits, which RFC 3339 does not allow. */
const LATEST_MS = Date.UTC(9999, 11, 31)

/**
 * Settings whose violation the provider blocks immediately when the policy has no rule for them
 * (https://developers.google.com/android/management/compliance).
 */
const BLOCKED_BY_DEFAULT: ReadonlySet<string> = new Set([
  'passwordPolicies',
  'encryptionPolicy',
  'keyguardDisabled',
  'permittedInputMethods',
  'permittedAccessibilityServices',
  'minimumApiLevel',
])

/** Stands for the violation of a device that does not comply and reports no details. */
const UNNAMED_KEY = '[]'

/** @param rules the unchecked member `policyEnforcementRules` of the policy */
export function deriveCompliance(
  facts: ComplianceFacts,
  rules: unknown,
  settings: ComplianceSettings,
  now: Date,
): Compliance {
  const { state, last_report_at } = facts
  if (state === 'deleted' || last_report_at === null) return derived('unknown', [], {})
  const graceHours = graceBySetting(rules, settings)
  const first_seen: Record<string, string> = {}
  const seenSince = (key: string): Date => {
    const since = earlierOf(facts.first_seen[key], last_report_at)
    first_seen[key] = since.toISOString()
    return since
  }
  const details = facts.details.map((detail) => {
    const since = seenSince(detailKey(detail))
    const until = addHours(since, graceHours(detail))
    return {
      ...detail,
      first_seen_at: since.toISOString(),
      grace_period_expires_at: until.toISOString(),
    }
  })
  if (state === 'provisioning') return derived('unknown', details, first_seen)
  const deadlines = details.map((detail) => Date.parse(detail.grace_period_expires_at))
  if (facts.policy_compliant !== true && details.length === 0) {
    deadlines.push(addHours(seenSince(UNNAMED_KEY), settings.mdm_grace_hours).getTime())
  }
  if (facts.is_policy_pending) return carriedOver(facts.before, now, details, first_seen)
  if (facts.policy_compliant === true) return derived('compliant', details, first_seen)
  const first = deadlines.reduce((a, b) => Math.min(a, b), LATEST_MS)
  return first <= now.getTime()
    ? derived('non_compliant', details, first_seen)
    : derived('grace_period', details, first_seen, new Date(first))
}

/**
 * Until the device has the new policy, its reports are about the old one and change nothing, but a grace
 * period that was granted still ends.
 */
function carriedOver(
  { compliance_state, grace_period_expires_at: expires }: ComplianceFacts['before'],
  now: Date,
  details: NonComplianceDetail[],
  first_seen: Record<string, string>,
): Compliance {
  if (compliance_state !== 'grace_period') return derived(compliance_state, details, first_seen)
  return expires === null || expires <= now
    ? derived('non_compliant', details, first_seen)
    : derived('grace_period', details, first_seen, expires)
}

const derived = (
  compliance_state: ComplianceState,
  non_compliance_details: NonComplianceDetail[],
  first_seen: Record<string, string>,
  expires: Date | null = null,
): Compliance => ({
  compliance_state,
  non_compliance_details,
  first_seen,
  grace_period_expires_at: expires,
  compliance_due_at: expires,
})

function graceBySetting(
  rules: unknown,
  settings: ComplianceSettings,
): (detail: ReportedDetail) => number {
  const byRule = blockHours(rules)
  return (detail) => {
    const setting = detail.setting_name
    const ordinary = BLOCKED_BY_DEFAULT.has(setting) ? 0 : settings.mdm_grace_hours
    const hours = byRule.get(setting) ?? ordinary
    return isInProgress(detail) ? Math.max(hours, settings.mdm_installation_grace_hours) : hours
  }
}

type Rule = { settingName?: unknown; blockAction?: { blockAfterDays?: unknown } | null } | null

/** The wire format omits a 0, so missing days count as 0. The stricter of two rules applies. */
function blockHours(rules: unknown): Map<string, number> {
  const hours = new Map<string, number>()
  if (!Array.isArray(rules)) return hours
  for (const rule of rules as Rule[]) {
    const setting = rule?.settingName
    const action = rule?.blockAction
    if (typeof setting !== 'string' || typeof action !== 'object' || action === null) continue
    const days = typeof action.blockAfterDays === 'number' ? action.blockAfterDays : 0
    const granted = Number.isFinite(days) ? Math.max(0, days) * DAY_HOURS : 0
    hours.set(setting, Math.min(hours.get(setting) ?? granted, granted))
  }
  return hours
}

const addHours = (time: Date, hours: number): Date =>
  new Date(Math.min(LATEST_MS, time.getTime() + hours * HOUR_MS))

/** A stored time that cannot be parsed is ignored. */
function earlierOf(stored: string | undefined, reported: Date): Date {
  const time = stored === undefined ? Number.NaN : Date.parse(stored)
  return Number.isNaN(time) ? reported : new Date(Math.min(time, reported.getTime()))
}
