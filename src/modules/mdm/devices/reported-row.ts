/** The columns of a device that reports fill, for one that is new, continued, reported or gone. */
import { isDeepStrictEqual } from 'node:util'
import type { ChangeContext } from './change.ts'
import { type Compliance, deriveCompliance } from './compliance.ts'
import type { DeviceRow } from './record.ts'
import { type DeviceReport, policyIdOf, type ReportedDetail } from './report.ts'

export function newRow(report: DeviceReport, context: ChangeContext): DeviceRow {
  const { now, org_id, id } = context
  const start = enrolmentOf(report, context)
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
 * Metadata, group and id of before, everything else of now. A group whose policy is of the other
 * management mode is left.
 */
export function continuedRow(
  before: DeviceRow,
  report: DeviceReport,
  context: ChangeContext,
): DeviceRow {
  const start = enrolmentOf(report, context)
  const group = before.group_id === null ? undefined : context.groups.get(before.group_id)
  const groupPolicyId = group?.policy_id ?? null
  const groupMode = groupPolicyId === null ? undefined : context.policies.get(groupPolicyId)
  const isOfGroup =
    group !== undefined &&
    (groupMode?.management_mode ?? start.management_mode) === start.management_mode
  return {
    ...before,
    ...start,
    ownership_type: ownershipTypeOf(before, start.ownership),
    group_id: isOfGroup ? before.group_id : null,
    policy_id: (isOfGroup ? groupPolicyId : null) ?? start.enrolled_policy_id,
    ...hardwareOf(report, before),
    updated_at: context.now,
  }
}

/** What a report does not say stays as it was. */
export function reportedRow(
  row: DeviceRow,
  report: DeviceReport,
  context: ChangeContext,
): DeviceRow {
  const ownership = report.ownership ?? row.ownership
  const isPolicyTaken =
    row.policy_id !== null && policyIdOf(report.enterprise, report.policy_name) === row.policy_id
  return {
    ...row,
    state: report.state ?? (row.state === 'deleted' ? 'active' : row.state),
    management_mode: report.management_mode ?? row.management_mode,
    ownership,
    ownership_type: ownershipTypeOf(row, ownership),
    ...appliedOf(report, context, row),
    policy_error: isPolicyTaken ? null : row.policy_error,
    policy_compliant: report.policy_compliant,
    ...hardwareOf(report, row),
    last_report_at: report.reported_at ?? row.last_report_at,
    deleted_at: null,
    deleted_by: null,
    missing_since: null,
  }
}

/** Its metadata stays, for a phone that comes back; what it violated ends with it. */
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

/** @param details of the last report */
export function withCompliance(
  row: DeviceRow,
  details: readonly ReportedDetail[],
  { policies, settings, now }: ChangeContext,
): DeviceRow {
  const policy = row.policy_id === null ? undefined : policies.get(row.policy_id)
  const isBehind =
    (row.applied_policy_version ?? Number.POSITIVE_INFINITY) < (policy?.provider_version ?? 0)
  const facts = {
    state: row.state,
    last_report_at: row.last_report_at,
    policy_compliant: row.policy_compliant,
    details,
    first_seen: row.first_seen,
    is_policy_pending:
      row.policy_id !== null &&
      row.policy_error === null &&
      (row.applied_policy_id !== row.policy_id || isBehind),
    before: row,
  }
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

type Enrolment = Omit<
  DeviceRow,
  | 'org_id'
  | 'id'
  | 'ownership_type'
  | 'name'
  | 'assigned_user_id'
  | 'custom_attributes'
  | 'group_id'
  | 'policy_id'
  | 'created_at'
  | 'updated_at'
  | keyof ReturnType<typeof hardwareOf>
>

/** What begins anew with each enrolment. */
function enrolmentOf(report: DeviceReport, context: ChangeContext): Enrolment {
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

/** Null for a policy that is none of ours. */
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

type HardwareText =
  | 'brand'
  | 'manufacturer'
  | 'model'
  | 'serial_number'
  | 'enterprise_specific_id'
  | 'os_version'
  | 'security_patch_level'

function hardwareOf(report: DeviceReport, before?: DeviceRow) {
  const told = (member: HardwareText): string | null => report[member] ?? before?.[member] ?? null
  return {
    brand: told('brand'),
    manufacturer: told('manufacturer'),
    model: told('model'),
    serial_number: told('serial_number'),
    enterprise_specific_id: told('enterprise_specific_id'),
    os_version: told('os_version'),
    security_patch_level: told('security_patch_level'),
    api_level: report.api_level ?? before?.api_level ?? null,
  }
}

/** The customer's word for it follows for as long as it says the same. */
const ownershipTypeOf = (
  before: DeviceRow,
  ownership: DeviceRow['ownership'],
): DeviceRow['ownership'] =>
  before.ownership_type === before.ownership ? ownership : before.ownership_type
