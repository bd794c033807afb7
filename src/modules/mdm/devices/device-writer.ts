/**
 * Applies reports, listings, confirmed deletions and deadlines to devices in the transaction of the
 * caller. The number of statements does not depend on the number of inputs, and inputs about one device
 * are applied in their order.
 */
import type { NewId } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { emitEvents } from '../../events/index.ts'
import type { AuditFacts } from '../audit/entry.ts'
import { writeAudit } from '../audit/store.ts'
import type { endCommandsOfDevices } from '../commands/completion.ts'
import { requestDispatches } from '../dispatch/store.ts'
import type { WireDevice } from '../providers/port.ts'
import { changeDevice, type DeviceChange, type DeviceInput } from './change.ts'
import type { ComplianceSettings } from './compliance.ts'
import { type Contexts, readContexts } from './contexts.ts'
import { createKnownDevices, type KnownDevices } from './known-devices.ts'
import type { DeviceRow } from './record.ts'
import { readReport } from './report.ts'
import {
  type DeviceKey,
  listFormerNames,
  lockDevices,
  lockEnterprises,
  type ReportOf,
} from './store.ts'
import {
  dropDispatches,
  insertDevices,
  insertFormerNames,
  lockCounts,
  markTokensUsed,
  requestMissingAssignments,
  updateReported,
} from './writing.store.ts'

/** `DeviceInput` explains the kinds. */
export type WriterInput =
  | { kind: 'report'; source: 'notification' | 'listing'; device: WireDevice }
  | {
      kind: 'deletion_confirmed' | 'missing'
      org_id: string
      device_id: string
      /** The device's name at the time of the request or listing. */
      provider_name: string
    }
  | { kind: 'due'; org_id: string; device_id: string }

export type Applied = {
  /** Number of changed devices. */
  changed: number
  /** Number of reports that are malformed or belong to an unknown enterprise. */
  foreign: number
  /** Number of requested dispatches; unless it is 0, the caller wakes the dispatcher. */
  dispatches: number
}

export type DeviceWriter = {
  apply(tx: Db, now: Date, inputs: readonly WriterInput[]): Promise<Applied>
}

export type DeviceWriterOptions = {
  newId: NewId
  settings: ComplianceSettings
  /** Ends the commands of devices that are no longer managed. */
  endCommandsOfDevices: typeof endCommandsOfDevices
}

export function createDeviceWriter(options: DeviceWriterOptions): DeviceWriter {
  return {
    apply: async (tx, now, inputs) => {
      const { addressed, foreign } = await address(tx, inputs)
      if (addressed.length === 0) return { changed: 0, foreign, dispatches: 0 }
      const batch = await read(tx, addressed)
      const folded = fold(addressed, batch, { ...options, now })
      await insertFormerNames(tx, folded.former_names, now)
      const dispatches = await write(tx, { ...options, now }, folded.changes, batch.rows)
      return { changed: folded.changes.length, foreign, dispatches }
    },
  }
}

/** An input whose organization is known. */
type Addressed =
  | (ReportOf & Extract<DeviceInput, { kind: 'report' }>)
  | { kind: 'deletion_confirmed' | 'missing'; org_id: string; id: string; provider_name: string }
  | { kind: 'due'; org_id: string; id: string }

/** Finds the organizations of the inputs and locks their enterprises against other writers. */
async function address(tx: Db, inputs: readonly WriterInput[]) {
  const readable = inputs.map((input) =>
    input.kind === 'report' ? { ...input, report: readReport(input.device) } : input,
  )
  const names = new Set(
    readable.flatMap((input) => (input.kind === 'report' ? (input.report?.enterprise ?? []) : [])),
  )
  const orgIds = new Set(readable.flatMap((input) => (input.kind === 'report' ? [] : input.org_id)))
  const enterprises = await lockEnterprises(tx, [...names], [...orgIds])
  const orgs = new Map(enterprises.map(({ name, org_id }) => [name, org_id]))
  const addressed = readable.flatMap((input): Addressed[] => {
    if (input.kind !== 'report') return [{ ...input, id: input.device_id }]
    const { kind, source, report } = input
    const org_id = report && orgs.get(report.enterprise)
    return report && org_id !== undefined ? [{ kind, source, org_id, report }] : []
  })
  return { addressed, foreign: inputs.length - addressed.length }
}

type Batch = { rows: DeviceRow[]; known: KnownDevices; contexts: Contexts }

async function read(tx: Db, addressed: readonly Addressed[]): Promise<Batch> {
  const reports = addressed.filter((input) => input.kind === 'report')
  const keys = addressed.filter((input) => input.kind !== 'report')
  const rows = await lockDevices(tx, keys, reports)
  const [former, contexts] = await Promise.all([
    listFormerNames(tx, reports),
    readContexts(tx, rows, reports),
  ])
  return { rows, known: createKnownDevices(rows, former), contexts }
}

type Folded = {
  changes: DeviceChange[]
  /** Names under which reports no longer count. */
  former_names: { org_id: string; name: string }[]
}

function fold(
  addressed: readonly Addressed[],
  { known, contexts }: Batch,
  { newId, settings, now }: DeviceWriterOptions & { now: Date },
): Folded {
  const changes = new Map<string, DeviceChange>()
  const formerNames: Folded['former_names'] = []
  const retire = (org_id: string, names: readonly string[]) => {
    known.retire(org_id, names)
    for (const name of names) formerNames.push({ org_id, name })
  }
  for (const input of addressed) {
    const { org_id } = input
    const row = rowOf(input, known)
    if (row === 'former') continue
    if (input.kind === 'report' && input.report.state === 'deleted') {
      const { name } = input.report
      // The enrollment ended before its first report arrived: later reports of it are late.
      if (row?.provider_name !== name) {
        retire(org_id, [name])
        continue
      }
    }
    const token = input.kind === 'report' ? contexts.tokenOf(org_id, input.report) : undefined
    const id = row?.id ?? newId(now)
    const context = { now, org_id, id, settings, token, ...contexts.of(org_id) }
    const change = changeDevice(row, input, context)
    if (!change) continue
    known.put(change.row)
    retire(org_id, change.former_names)
    const key = `${org_id} ${change.row.id}`
    changes.set(key, merged(changes.get(key), change))
  }
  return { changes: [...changes.values()], former_names: formerNames }
}

function rowOf(input: Addressed, known: KnownDevices): DeviceRow | 'former' | undefined {
  if (input.kind !== 'report') return known.find(input.org_id, input.id)
  const identified = known.identify(input.org_id, input.report)
  if (identified.kind === 'former') return 'former'
  return identified.kind === 'known' ? identified.row : undefined
}

/** Merges two consecutive changes of one device. */
function merged(first: DeviceChange | undefined, next: DeviceChange): DeviceChange {
  if (!first) return next
  return {
    row: next.row,
    is_new: first.is_new,
    audit: [...first.audit, ...next.audit],
    events: [...first.events, ...next.events],
    assignment: first.assignment === 'needed' ? 'needed' : next.assignment,
    is_ended: first.is_ended || next.is_ended,
    former_names: [...first.former_names, ...next.former_names],
  }
}

/** @returns the number of requested dispatches */
async function write(
  tx: Db,
  { newId, now, endCommandsOfDevices }: DeviceWriterOptions & { now: Date },
  changes: readonly DeviceChange[],
  before: readonly DeviceRow[],
): Promise<number> {
  if (changes.length === 0) return 0
  const rows = changes.map(({ row }) => row)
  const created = changes.flatMap(({ is_new, row }) => (is_new ? [row] : []))
  const known = changes.flatMap(({ is_new, row }) => (is_new ? [] : [row]))
  if (created.length > 0 && known.length > 0) await lockCounts(tx, [...before, ...rows])
  const facts = changes.flatMap(({ audit }) => audit)
  const events = changes.flatMap(({ row: { org_id }, events: own }) =>
    own.map(({ type, data }) => {
      return { id: newId(now), org_id, mode: 'live' as const, type, data, occurred_at: now }
    }),
  )
  // The connection runs them in this order, without waiting for this process between two of them.
  await Promise.all([
    insertDevices(tx, created),
    updateReported(tx, known),
    writeAudit(tx, newId, now, facts),
    markTokensUsed(tx, facts.flatMap(usedTokens), now),
    emitEvents(tx, events),
  ])
  const ended = changes.flatMap(({ is_ended, row }) => (is_ended ? [row] : []))
  if (ended.length > 0) {
    await endCommandsOfDevices(tx, { newId, now }, ended)
    await dropDispatches(tx, ended)
  }
  return await requestAssignments(tx, changes)
}

/** The audit entries also have the enrollments that a later one in the same batch replaced. */
function usedTokens({ org_id, action, after }: AuditFacts): DeviceKey[] {
  const id = after?.['enrollment_token_id']
  return action === 'device.enrolled' && typeof id === 'string' ? [{ org_id, id }] : []
}

async function requestAssignments(tx: Db, changes: readonly DeviceChange[]): Promise<number> {
  const managed = changes.filter(({ row }) => row.state !== 'deleted')
  const needed = managed.filter(({ assignment }) => assignment === 'needed')
  const drifted = managed.filter(({ assignment }) => assignment === 'drifted')
  const subjects = needed.map(({ row: { org_id, id } }) => ({ org_id, subject_id: id }))
  await requestDispatches(tx, 'assign_policy', subjects)
  const rows = drifted.map(({ row }) => row)
  await requestMissingAssignments(tx, rows)
  return needed.length + drifted.length
}
