/** Derives the row of a device that is new, enrolled again, reported or deleted. */
import { isDeepStrictEqual } from 'node:util'
import type { ChangeContext } from './change-context.ts'
import { type Compliance, deriveCompliance } from './compliance.ts'
import type { DeviceRow } from './record.ts'
import { type DeviceReport, policyIdOf, type ReportedDetail } from './report.ts'

export function newRow(report: DeviceReport, context: ChangeContext): DeviceRow {
  const { now, org_id, id } = context
  const start = enrollmentOf(report, context)
  return {
    org_id,
    id,
    ...start,
    ownership_type: start.ownership,
    name: null,
    assigned_user_id: null,
    custom_attributes: {},
    group_id: null,
    policy_id: start.enrolled_policy_id,
    ...hardwareOf(report),
    created_at: now,
    updated_at: now,
  }
}

/**
 * The row of a device that enrolled again: it keeps id, metadata and group. It leaves a group whose
 * policy has the other management mode.
 */
export function continuedRow(
  before: DeviceRow,
  report: DeviceReport,
  context: ChangeContext,
): DeviceRow {
  const start = enrollmentOf(report, context)
  const group = before.group_id === null ? undefined : context.groups.get(before.group_id)
  const groupPolicyId = group?.policy_id ?? null
  const groupMode = groupPolicyId === null ? undefined : context.policies.get(groupPolicyId)
  const isGroupKept =
    group !== undefined &&
    (groupMode?.management_mode ?? start.management_mode) === start.management_mode
  return {
    ...before,
    ...start,
    ownership_type: ownershipTypeOf(before, start.ownership),
    group_id: isGroupKept ? before.group_id : null,
    policy_id: (isGroupKept ? groupPolicyId : null) ?? start.enrolled_policy_id,
    ...hardwareOf(report, before),
    updated_at: context.now,
  }
}

/** Facts that the report does not contain remain unchanged. */
export function reportedRow(
  row: DeviceRow,
  report: DeviceReport,
  context: ChangeContext,
): DeviceRow {
  const ownership = report.ownership ?? row.ownership
  const isPolicyAccepted =
    row.policy_id !== null && policyIdOf(report.enterprise, report.policy_name) === row.policy_id
  return {
    ...row,
    state: report.state ?? (row.state === 'deleted' ? 'active' : row.state),
    management_mode: report.management_mode ?? row.management_mode,
    ownership,
    ownership_type: ownershipTypeOf(row, ownership),
    ...appliedOf(report, context, row),
    policy_error: isPolicyAccepted ? null : row.policy_error,
    policy_compliant: report.policy_compliant,
    ...hardwareOf(report, row),
    last_report_at: report.reported_at ?? row.last_report_at,
    deleted_at: null,
    deleted_by: null,
    missing_since: null,
  }
}

/** The metadata remains for a phone that is enrolled again; the violations are dropped. */
export function deletedRow(
  row: DeviceRow,
  by: NonNullable<DeviceRow['deleted_by']>,
  now: Date,
): DeviceRow {
  return {
    ...row,
    ...UNKNOWN,
    state: 'deleted',
    deleted_at: now,
    deleted_by: by,
    missing_since: null,
    policy_error: null,
  }
}

/** @param details violations of the last report */
export function withCompliance(
  row: DeviceRow,
  details: readonly ReportedDetail[],
  { policies, settings, now }: ChangeContext,
): DeviceRow {
  const policy = row.policy_id === null ? undefined : policies.get(row.policy_id)
  const isBehind =
    (row.applied_policy_version ?? Number.POSITIVE_INFINITY) < (policy?.provider_version ?? 0)
  const is_policy_pending =
    row.policy_id !== null &&
    row.policy_error === null &&
    (row.applied_policy_id !== row.policy_id || isBehind)
  const facts = { ...row, details, is_policy_pending, before: row }
  return { ...row, ...deriveCompliance(facts, policy?.rules, settings, now) }
}

export const isSameRow = (a: DeviceRow, b: DeviceRow): boolean => isDeepStrictEqual(a, b)

const UNKNOWN: Compliance = {
  compliance_state: 'unknown',
  non_compliance_details: [],
  first_seen: {},
  grace_period_expires_at: null,
  compliance_due_at: null,
}

/** The columns that start from scratch with each enrollment. */
function enrollmentOf(report: DeviceReport, context: ChangeContext) {
  const { token, now, policies } = context
  const named = policyIdOf(report.enterprise, report.policy_name)
  const isOurs = named !== undefined && policies.has(named)
  const management_mode =
    report.management_mode ??
    token?.management_mode ??
    (report.ownership === 'personally_owned' ? 'work_profile' : 'fully_managed')
  const ordinary = management_mode === 'fully_managed' ? 'company_owned' : 'personally_owned'
  return {
    provider_name: report.name,
    state: report.state ?? 'provisioning',
    management_mode,
    ownership: report.ownership ?? ordinary,
    enrolled_policy_id: token?.policy_id ?? (isOurs ? named : null),
    enrollment_token_id: token?.id ?? null,
    ...appliedOf(report, context),
    policy_error: null,
    ...UNKNOWN,
    policy_compliant: report.policy_compliant,
    enrolled_at: report.enrolled_at ?? report.reported_at ?? now,
    last_report_at: report.reported_at,
    deletion_requested_at: null,
    deleted_at: null,
    deleted_by: null,
    missing_since: null,
  }
}

/** The columns are null for a policy that the organization does not have. */
function appliedOf(
  report: DeviceReport,
  { policies }: ChangeContext,
  before?: DeviceRow,
): Pick<DeviceRow, 'applied_policy_id' | 'applied_policy_version'> {
  if (report.applied_policy_name === null && before !== undefined) {
    const { applied_policy_id, applied_policy_version } = before
    return { applied_policy_id, applied_policy_version }
  }
  const id = policyIdOf(report.enterprise, report.applied_policy_name)
  if (id === undefined || !policies.has(id)) {
    return { applied_policy_id: null, applied_policy_version: null }
  }
  return { applied_policy_id: id, applied_policy_version: report.applied_policy_version }
}

const hardwareOf = (report: DeviceReport, before?: DeviceRow) => ({
  brand: report.brand ?? before?.brand ?? null,
  manufacturer: report.manufacturer ?? before?.manufacturer ?? null,
  model: report.model ?? before?.model ?? null,
  serial_number: report.serial_number ?? before?.serial_number ?? null,
  enterprise_specific_id: report.enterprise_specific_id ?? before?.enterprise_specific_id ?? null,
  os_version: report.os_version ?? before?.os_version ?? null,
  security_patch_level: report.security_patch_level ?? before?.security_patch_level ?? null,
  api_level: report.api_level ?? before?.api_level ?? null,
})

/** The ownership type that users see follows the reported one until they change it. */
const ownershipTypeOf = (
  before: DeviceRow,
  ownership: DeviceRow['ownership'],
): DeviceRow['ownership'] =>
  before.ownership_type === before.ownership ? ownership : before.ownership_type
