/**
 * Decides how an input changes a device. State, compliance and reported facts change nowhere else, so
 * each transition gets exactly one audit entry and one event.
 */
import { type Actor, type AuditAction, type AuditFacts, PROVIDER, SYSTEM } from '../audit/entry.ts'
import type { ChangeContext } from './change-context.ts'
import {
  continuedRow,
  deletedRow,
  isSameRow,
  newRow,
  reportedRow,
  withCompliance,
} from './device-row.ts'
import { type DeviceRow, toDevice } from './record.ts'
import { type DeviceReport, policyIdOf } from './report.ts'
import type { Device } from './schema.ts'

/** The provider's name of a device identifies the enrollment that an input is about. */
export type DeviceInput =
  /** A report out of a listing also proves that the device exists now. */
  | { kind: 'report'; source: 'notification' | 'listing'; report: DeviceReport }
  /** The provider deleted the device or no longer has it. */
  | { kind: 'deletion_confirmed'; provider_name: string }
  /** A complete listing did not contain the device. */
  | { kind: 'missing'; provider_name: string }
  /** A deadline has passed, or the device has another policy. */
  | { kind: 'due' }

export type DeviceEvent = {
  type: 'mdm.device.enrolled' | 'mdm.device.compliance_changed'
  data: Device
}

export type DeviceChange = {
  row: DeviceRow
  is_new: boolean
  audit: AuditFacts[]
  events: DeviceEvent[]
  /** Whether to assign the policy: after an enrollment, or because the provider reports another. */
  assignment: 'needed' | 'drifted' | undefined
  /** The enrollment has ended, and with it all pending commands and dispatches. */
  is_ended: boolean
  /** Names under which reports of the device are late from now on. */
  former_names: string[]
}

/** A device counts as deleted when two listings without it are at least this far apart. */
export const MISSING_MS = 10 * 60_000

/** @returns undefined when nothing changes */
export function changeDevice(
  row: DeviceRow | undefined,
  input: DeviceInput,
  context: ChangeContext,
): DeviceChange | undefined {
  if (input.kind === 'report') {
    if (row?.provider_name === input.report.name) return reported(row, input, context)
    // The end of an unknown enrollment changes nothing.
    return input.report.state === 'deleted' ? undefined : enrolled(row, input.report, context)
  }
  if (!row || row.state === 'deleted') return undefined
  if (input.kind === 'due') {
    return changed(row, withCompliance(row, row.non_compliance_details, context), SYSTEM, context)
  }
  if (input.provider_name !== row.provider_name) return undefined
  return input.kind === 'missing'
    ? missing(row, context)
    : changed(row, deletedRow(row, 'request', context.now), PROVIDER, context)
}

function enrolled(
  before: DeviceRow | undefined,
  report: DeviceReport,
  context: ChangeContext,
): DeviceChange {
  const blank = before ? continuedRow(before, report, context) : newRow(report, context)
  const row = withCompliance(blank, report.details, context)
  const { audit, events } = transitions({ ...(before ?? blank), state: row.state }, row, PROVIDER)
  return {
    row,
    is_new: !before,
    audit: [enrollment(before, row), ...audit],
    events: [{ type: 'mdm.device.enrolled', data: toDevice(row) }, ...events],
    assignment: isDrifted(row, report) ? 'needed' : undefined,
    is_ended: before !== undefined && before.state !== 'deleted',
    former_names: [...(before ? [before.provider_name] : []), ...report.previous_names],
  }
}

function reported(
  row: DeviceRow,
  { report, source }: Extract<DeviceInput, { kind: 'report' }>,
  context: ChangeContext,
): DeviceChange | undefined {
  if (report.state === 'deleted') return reportedDeleted(row, context)
  const isListed = source === 'listing'
  const age = compareTimes(report.reported_at, row.last_report_at)
  // A listing shows a newly requested state or policy before the device reports again.
  if (age > 0 || (isListed && age === 0)) {
    if (row.state === 'deleted' && row.deleted_by !== 'listing') return undefined
    const next = withCompliance(reportedRow(row, report, context), report.details, context)
    const change = changed(row, next, PROVIDER, context)
    if (!isDrifted(next, report)) return change
    return { ...(change ?? unchanged(row)), assignment: 'drifted' }
  }
  return isListed ? changed(row, { ...row, missing_since: null }, SYSTEM, context) : undefined
}

/** The time of the report does not matter, because the provider never reuses a deleted name. */
function reportedDeleted(row: DeviceRow, context: ChangeContext): DeviceChange | undefined {
  if (row.state !== 'deleted') {
    return changed(row, deletedRow(row, 'report', context.now), PROVIDER, context)
  }
  // The report confirms a deletion that was inferred from listings.
  const isInferred = row.deleted_by === 'listing'
  return isInferred ? changed(row, { ...row, deleted_by: 'report' }, PROVIDER, context) : undefined
}

function missing(row: DeviceRow, context: ChangeContext): DeviceChange | undefined {
  const { now } = context
  if (row.missing_since === null) {
    return changed(row, { ...row, missing_since: now }, SYSTEM, context)
  }
  if (now.getTime() - row.missing_since.getTime() < MISSING_MS) return undefined
  return changed(row, deletedRow(row, 'listing', now), SYSTEM, context)
}

function changed(
  before: DeviceRow,
  next: DeviceRow,
  actor: Actor,
  { now }: ChangeContext,
): DeviceChange | undefined {
  if (isSameRow(before, next)) return undefined
  const row = { ...next, updated_at: now }
  return {
    ...unchanged(row),
    ...transitions(before, row, actor),
    is_ended: row.state === 'deleted' && before.state !== 'deleted',
  }
}

const unchanged = (row: DeviceRow): DeviceChange => ({
  row,
  is_new: false,
  audit: [],
  events: [],
  assignment: undefined,
  is_ended: false,
  former_names: [],
})

/** Returns the audit entries and events for the transition from one row to the next. */
function transitions(
  before: DeviceRow,
  row: DeviceRow,
  actor: Actor,
): Pick<DeviceChange, 'audit' | 'events'> {
  const audit: AuditFacts[] = []
  const events: DeviceEvent[] = []
  const record = (action: AuditAction, from: Members, to: Members) => {
    const { org_id, id } = row
    audit.push({ org_id, action, actor, target: { type: 'device', id }, before: from, after: to })
  }
  if (row.state !== before.state) {
    if (row.state === 'deleted') {
      record('device.deleted', { state: before.state }, { state: row.state, by: row.deleted_by })
    } else {
      record('device.state_changed', { state: before.state }, { state: row.state })
    }
  }
  const isPolicyChanged =
    row.applied_policy_id !== before.applied_policy_id ||
    row.applied_policy_version !== before.applied_policy_version
  if (isPolicyChanged && row.applied_policy_id !== null) {
    record('device.policy_applied', appliedPolicy(before), appliedPolicy(row))
  }
  if (row.compliance_state !== before.compliance_state) {
    record('device.compliance_changed', complianceOf(before), complianceOf(row))
    events.push({ type: 'mdm.device.compliance_changed', data: toDevice(row) })
  }
  return { audit, events }
}

type Members = Record<string, unknown>

const appliedPolicy = ({ applied_policy_id, applied_policy_version }: DeviceRow): Members => ({
  applied_policy_id,
  applied_policy_version,
})

const complianceOf = ({
  compliance_state,
  grace_period_expires_at: expires,
}: DeviceRow): Members => ({
  compliance_state,
  ...(expires !== null && { grace_period_expires_at: expires.toISOString() }),
})

function enrollment(before: DeviceRow | undefined, row: DeviceRow): AuditFacts {
  const isMoved = before !== undefined && before.group_id !== row.group_id
  const facts = ({ provider_name, state, group_id, policy_id }: DeviceRow): Members => ({
    provider_name,
    state,
    policy_id,
    ...(isMoved && { group_id }),
  })
  const { management_mode, ownership, enrollment_token_id, serial_number } = row
  return {
    org_id: row.org_id,
    action: 'device.enrolled',
    actor: PROVIDER,
    target: { type: 'device', id: row.id },
    before: before ? facts(before) : null,
    after: { ...facts(row), management_mode, ownership, enrollment_token_id, serial_number },
  }
}

/**
 * Whether the provider reports another policy than the assigned one. A policy that the provider rejected
 * is not requested again with every report.
 */
function isDrifted(row: DeviceRow, { enterprise, policy_name }: DeviceReport): boolean {
  if (row.policy_id === null || policy_name === null) return false
  if (row.policy_error !== null || row.deletion_requested_at !== null) return false
  return policyIdOf(enterprise, policy_name) !== row.policy_id
}

/** Positive when the first is later; a missing time is earlier than any other. */
function compareTimes(a: Date | null, b: Date | null): number {
  const time = (date: Date | null) => date?.getTime() ?? Number.MIN_SAFE_INTEGER
  return time(a) - time(b)
}
