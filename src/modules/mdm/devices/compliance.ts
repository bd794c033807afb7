/**
 * Whether a device complies with its policy (OP-29). The provider says what is violated and never since
 * when, so each violation is counted from the report that had it first, until the day on which the
 * policy would have the device blocked.
 */
import type {
  ComplianceState,
  DeviceState,
  NonComplianceDetail,
} from '../../../platform/postgres/tables/mdm.ts'
import { detailKey, isInProgress, type ReportedDetail } from './report.ts'

export type ComplianceSettings = {
  /** For settings without an enforcement rule. */
  mdm_grace_hours: number
  /** At least so long for what the device still works on. */
  mdm_installation_grace_hours: number
}

export type ComplianceFacts = {
  state: DeviceState
  /** Of the last report, by the provider's clock; null when there was none. */
  last_report_at: Date | null
  policy_compliant: boolean | null
  /** Of the last report. */
  details: readonly ReportedDetail[]
  /** ISO times by `detailKey`. */
  first_seen: Readonly<Record<string, string>>
  /** A policy was assigned, or changed, that is not on the device yet. */
  is_policy_pending: boolean
  /** As it was derived before. */
  before: { compliance_state: ComplianceState; grace_period_expires_at: Date | null }
}

export type Compliance = {
  compliance_state: ComplianceState
  non_compliance_details: NonComplianceDetail[]
  first_seen: Record<string, string>
  /** Set in the state `grace_period` only. */
  grace_period_expires_at: Date | null
  /** When it has to be derived again though nothing is reported. */
  compliance_due_at: Date | null
}

const HOUR_MS = 3_600_000
const DAY_HOURS = 24
/** As far as instants can be told in four digits of a year. */
const LATEST_MS = Date.UTC(9999, 11, 31)

/**
 * Blocked at once by the provider when the policy has no rule for them
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

/** The one violation of a device that does not comply and does not say with what. */
const UNNAMED_KEY = '[]'

/** @param rules `policyEnforcementRules` of the policy, whatever is in them */
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
    return toldDetail(detail, since, addHours(since, graceHours(detail)))
  })
  if (state === 'provisioning') return derived('unknown', details, first_seen)
  const deadlines = details.map((detail) => Date.parse(detail.grace_period_expires_at))
  if (facts.policy_compliant !== true && details.length === 0) {
    deadlines.push(addHours(seenSince(UNNAMED_KEY), settings.mdm_grace_hours).getTime())
  }
  if (facts.is_policy_pending) return kept(facts.before, now, details, first_seen)
  if (facts.policy_compliant === true) return derived('compliant', details, first_seen)
  const first = deadlines.reduce((a, b) => Math.min(a, b), LATEST_MS)
  return first <= now.getTime()
    ? derived('non_compliant', details, first_seen)
    : derived('grace_period', details, first_seen, new Date(first))
}

/** What is reported meanwhile is about the old policy; a time that was granted still passes. */
function kept(
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

const toldDetail = (detail: ReportedDetail, since: Date, until: Date): NonComplianceDetail => ({
  setting_name: detail.setting_name,
  field_path: detail.field_path,
  package_name: detail.package_name,
  reason: detail.reason,
  specific_reason: detail.specific_reason,
  installation_failure_reason: detail.installation_failure_reason,
  first_seen_at: since.toISOString(),
  grace_period_expires_at: until.toISOString(),
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

/** Days that are left out are 0, as everywhere on the wire; of two rules the stricter counts. */
function blockHours(rules: unknown): Map<string, number> {
  const hours = new Map<string, number>()
  if (!Array.isArray(rules)) return hours
  for (const rule of rules as Rule[]) {
    const setting = rule?.settingName
    const action = rule?.blockAction
    if (typeof setting !== 'string' || typeof action !== 'object' || action === null) continue
    const days = typeof action.blockAfterDays === 'number' ? action.blockAfterDays : 0
    const given = Number.isFinite(days) ? Math.max(0, days) * DAY_HOURS : 0
    hours.set(setting, Math.min(hours.get(setting) ?? given, given))
  }
  return hours
}

const addHours = (time: Date, hours: number): Date =>
  new Date(Math.min(LATEST_MS, time.getTime() + hours * HOUR_MS))

/** A time that cannot be read was not stored by this version. */
function earlierOf(stored: string | undefined, reported: Date): Date {
  const time = stored === undefined ? Number.NaN : Date.parse(stored)
  return Number.isNaN(time) ? reported : new Date(Math.min(time, reported.getTime()))
}
