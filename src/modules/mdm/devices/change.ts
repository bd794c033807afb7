/**
 * What becomes of a device when something is learnt about it. The one place where its state, its
 * compliance and what was reported of it change, so every transition has its audit entry and its
 * event, once.
 */
import type { ManagementMode } from '../../../platform/postgres/tables/mdm.ts'
import type { AuditAction, AuditFacts } from '../audit/entry.ts'
import { type Actor, PROVIDER, SYSTEM } from '../audit/store.ts'
import type { ComplianceSettings } from './compliance.ts'
import { type DeviceRow, shownDevice } from './record.ts'
import { type DeviceReport, policyIdOf } from './report.ts'
import {
  continuedRow,
  deletedRow,
  isSameRow,
  newRow,
  reportedRow,
  withCompliance,
} from './reported-row.ts'
import type { Device } from './schema.ts'

/** What the rules need to know of a policy of the organisation. */
export type PolicyFacts = {
  management_mode: ManagementMode
  /** Which of its versions the provider has, by the provider's number. */
  provider_version: number | null
  /** `policyEnforcementRules` of it. */
  rules: unknown
}

export type TokenFacts = { id: string; policy_id: string; management_mode: ManagementMode }

/** What is learnt; a provider's name says of which enrolment it was learnt. */
export type DeviceInput =
  /** Also out of a listing, which says besides that the device is there now. */
  | { kind: 'report'; source: 'notification' | 'listing'; report: DeviceReport }
  /** The provider deleted it, or has it no longer. */
  | { kind: 'deletion_confirmed'; provider_name: string }
  /** A whole listing was without it. */
  | { kind: 'missing'; provider_name: string }
  /** A time has passed, or its policy is another. */
  | { kind: 'due' }

export type ChangeContext = {
  now: Date
  org_id: string
  /** Of a device that is new. */
  id: string
  settings: ComplianceSettings
  /** Of the organisation, by id, as far as they are spoken of. */
  policies: ReadonlyMap<string, PolicyFacts>
  groups: ReadonlyMap<string, { policy_id: string | null }>
  /** That the device says it enrolled with. */
  token: TokenFacts | undefined
}

export type DeviceEvent = {
  type: 'mdm.device.enrolled' | 'mdm.device.compliance_changed'
  data: Device
}

export type DeviceChange = {
  row: DeviceRow
  is_new: boolean
  audit: AuditFacts[]
  events: DeviceEvent[]
  /** The policy has to be assigned: anew, or because the provider says that another one is. */
  assignment: 'needed' | 'drifted' | undefined
  /** It is no longer managed under the name that it had: what was meant for it has ended. */
  is_ended: boolean
  /** Under which reports of it are late. */
  former_names: string[]
}

/** A device is gone when two listings without it lie so far apart. */
export const MISSING_MS = 10 * 60_000

/** @returns undefined when nothing changes */
export function changeDevice(
  row: DeviceRow | undefined,
  input: DeviceInput,
  context: ChangeContext,
): DeviceChange | undefined {
  if (input.kind === 'report') {
    if (row?.provider_name === input.report.name) return reported(row, input, context)
    // Of an enrolment that was not known there is nothing that could end.
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
  const told = transitions({ ...(before ?? blank), state: row.state }, row, PROVIDER)
  return {
    row,
    is_new: !before,
    audit: [enrolment(before, row), ...told.audit],
    events: [{ type: 'mdm.device.enrolled', data: shownDevice(row) }, ...told.events],
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
  if (report.state === 'deleted') return reportedGone(row, context)
  const isThere = source === 'listing'
  const age = compareTimes(report.reported_at, row.last_report_at)
  // A state and a policy that were wanted since are in a listing before there is a report of them.
  if (age > 0 || (isThere && age === 0)) {
    if (row.state === 'deleted' && row.deleted_by !== 'listing') return undefined
    const next = withCompliance(reportedRow(row, report, context), report.details, context)
    const change = changed(row, next, PROVIDER, context)
    if (!isDrifted(next, report)) return change
    return { ...(change ?? unchanged(row)), assignment: 'drifted' }
  }
  return isThere ? changed(row, { ...row, missing_since: null }, SYSTEM, context) : undefined
}

/** Whatever its time: a name that was deleted is never given again. */
function reportedGone(row: DeviceRow, context: ChangeContext): DeviceChange | undefined {
  if (row.state !== 'deleted') {
    return changed(row, deletedRow(row, 'report', context.now), PROVIDER, context)
  }
  // What had been concluded only is certain now.
  const isConcluded = row.deleted_by === 'listing'
  return isConcluded ? changed(row, { ...row, deleted_by: 'report' }, PROVIDER, context) : undefined
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

/** What is told of the way from one row to the next. */
function transitions(
  before: DeviceRow,
  row: DeviceRow,
  actor: Actor,
): Pick<DeviceChange, 'audit' | 'events'> {
  const audit: AuditFacts[] = []
  const events: DeviceEvent[] = []
  const tell = (action: AuditAction, was: Members, is: Members) => {
    const { org_id, id } = row
    audit.push({ org_id, action, actor, target: { type: 'device', id }, before: was, after: is })
  }
  if (row.state !== before.state) {
    if (row.state === 'deleted') {
      tell('device.deleted', { state: before.state }, { state: row.state, by: row.deleted_by })
    } else {
      tell('device.state_changed', { state: before.state }, { state: row.state })
    }
  }
  const isApplied =
    row.applied_policy_id !== before.applied_policy_id ||
    row.applied_policy_version !== before.applied_policy_version
  if (isApplied && row.applied_policy_id !== null) {
    tell('device.policy_applied', appliedPolicy(before), appliedPolicy(row))
  }
  if (row.compliance_state !== before.compliance_state) {
    tell('device.compliance_changed', complianceOf(before), complianceOf(row))
    events.push({ type: 'mdm.device.compliance_changed', data: shownDevice(row) })
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

function enrolment(before: DeviceRow | undefined, row: DeviceRow): AuditFacts {
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
 * The provider wants another policy on the device than the one that it should have. One that the
 * provider rejected is not asked for once more with every report.
 */
function isDrifted(row: DeviceRow, { enterprise, policy_name }: DeviceReport): boolean {
  if (row.policy_id === null || policy_name === null) return false
  if (row.policy_error !== null || row.deletion_requested_at !== null) return false
  return policyIdOf(enterprise, policy_name) !== row.policy_id
}

/** Positive when the first is later; before every time there is none. */
function compareTimes(a: Date | null, b: Date | null): number {
  const time = (date: Date | null) => date?.getTime() ?? Number.MIN_SAFE_INTEGER
  return time(a) - time(b)
}
