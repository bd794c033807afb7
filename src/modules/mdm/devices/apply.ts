/**
 * Applies what is learnt about devices, in the transaction of whoever learnt it: notifications,
 * listings, what the provider confirmed, and times that have passed. Any number of inputs take the same
 * few statements; several about one device are applied in their order.
 */
import type { NewId } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { emitEvents } from '../../events/index.ts'
import { auditEntry } from '../audit/entry.ts'
import { insertAuditEntries } from '../audit/store.ts'
import { requestDispatches } from '../dispatch/store.ts'
import type { WireDevice } from '../providers/port.ts'
import { changeDevice, type DeviceChange, type DeviceInput } from './change.ts'
import type { ComplianceSettings } from './compliance.ts'
import { type Contexts, readContexts } from './context.ts'
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
  requestMissingAssignments,
  updateReported,
} from './writing/store.ts'

/** `DeviceInput` has the meanings. */
export type WriterInput =
  | { kind: 'report'; source: 'notification' | 'listing'; device: WireDevice }
  | {
      kind: 'deletion_confirmed' | 'missing'
      org_id: string
      device_id: string
      /** That the device had when it was asked for. */
      provider_name: string
    }
  | { kind: 'due'; org_id: string; device_id: string }

export type Applied = {
  /** Devices. */
  changed: number
  /** Reports that are malformed, or of an enterprise that is none of ours. */
  foreign: number
  /** Something may have to be brought to the provider: the dispatcher is to be hinted. */
  dispatches: number
}

export type DeviceWriter = {
  apply(tx: Db, now: Date, inputs: readonly WriterInput[]): Promise<Applied>
}

export type DeviceWriterOptions = {
  newId: NewId
  settings: ComplianceSettings
  /** Of devices that are no longer managed. */
  endCommandsOfDevices: (
    tx: Db,
    context: { newId: NewId; now: Date },
    devices: readonly DeviceKey[],
  ) => Promise<void>
}

export function createDeviceWriter(options: DeviceWriterOptions): DeviceWriter {
  return {
    apply: async (tx, now, inputs) => {
      const { aimed, foreign } = await aim(tx, inputs)
      if (aimed.length === 0) return { changed: 0, foreign, dispatches: 0 }
      const batch = await read(tx, aimed)
      const folded = fold(aimed, batch, { ...options, now })
      await insertFormerNames(tx, folded.former_names, now)
      const dispatches = await write(tx, { ...options, now }, folded.changes, batch.rows)
      return { changed: folded.changes.length, foreign, dispatches }
    },
  }
}

type Aimed =
  | (ReportOf & Extract<DeviceInput, { kind: 'report' }>)
  | { kind: 'deletion_confirmed' | 'missing'; org_id: string; id: string; provider_name: string }
  | { kind: 'due'; org_id: string; id: string }

/** Whose devices they are about. From here on nobody else writes what is learnt about these. */
async function aim(
  tx: Db,
  inputs: readonly WriterInput[],
): Promise<{ aimed: Aimed[]; foreign: number }> {
  const readable = inputs.map((input) =>
    input.kind === 'report' ? { ...input, report: readReport(input.device) } : input,
  )
  const names = new Set(
    readable.flatMap((input) => (input.kind === 'report' ? (input.report?.enterprise ?? []) : [])),
  )
  const orgIds = new Set(readable.flatMap((input) => (input.kind === 'report' ? [] : input.org_id)))
  const enterprises = await lockEnterprises(tx, [...names], [...orgIds])
  const orgs = new Map(enterprises.map(({ name, org_id }) => [name, org_id]))
  const aimed = readable.flatMap((input): Aimed[] => {
    if (input.kind !== 'report') return [{ ...input, id: input.device_id }]
    const { kind, source, report } = input
    const org_id = report && orgs.get(report.enterprise)
    return report && org_id !== undefined ? [{ kind, source, org_id, report }] : []
  })
  return { aimed, foreign: inputs.length - aimed.length }
}

type Fold = { known: KnownDevices; contexts: Contexts }

async function read(tx: Db, aimed: readonly Aimed[]): Promise<Fold & { rows: DeviceRow[] }> {
  const reports = aimed.filter((input) => input.kind === 'report')
  const keys = aimed.filter((input) => input.kind !== 'report')
  const rows = await lockDevices(tx, keys, reports)
  const [former, contexts] = await Promise.all([
    listFormerNames(tx, reports),
    readContexts(tx, rows, reports),
  ])
  return { rows, known: createKnownDevices(rows, former), contexts }
}

type Folded = {
  changes: DeviceChange[]
  /** Names under which nothing that is reported counts any more. */
  former_names: { org_id: string; name: string }[]
}

/** In the order of the inputs. */
function fold(
  aimed: readonly Aimed[],
  { known, contexts }: Fold,
  { newId, settings, now }: DeviceWriterOptions & { now: Date },
): Folded {
  const changes = new Map<string, DeviceChange>()
  const formerNames: Folded['former_names'] = []
  const forget = (org_id: string, names: readonly string[]) => {
    known.forget(org_id, names)
    for (const name of names) formerNames.push({ org_id, name })
  }
  for (const input of aimed) {
    const { org_id } = input
    const row = rowOf(input, known)
    if (row === 'former') continue
    if (input.kind === 'report' && input.report.state === 'deleted') {
      const { name } = input.report
      // It ended before anything else was told of it: what comes now is late.
      if (row?.provider_name !== name) {
        forget(org_id, [name])
        continue
      }
    }
    const token = input.kind === 'report' ? contexts.tokenOf(org_id, input.report) : undefined
    const id = row?.id ?? newId(now)
    const context = { now, org_id, id, settings, token, ...contexts.of(org_id) }
    const change = changeDevice(row, input, context)
    if (!change) continue
    known.put(change.row)
    forget(org_id, change.former_names)
    const key = `${org_id} ${change.row.id}`
    changes.set(key, joined(changes.get(key), change))
  }
  return { changes: [...changes.values()], former_names: formerNames }
}

function rowOf(input: Aimed, known: KnownDevices): DeviceRow | 'former' | undefined {
  if (input.kind !== 'report') return known.find(input.org_id, input.id)
  const identified = known.identify(input.org_id, input.report)
  if (identified.kind === 'former') return 'former'
  return identified.kind === 'known' ? identified.row : undefined
}

/** Two changes of one device, one after the other. */
function joined(first: DeviceChange | undefined, next: DeviceChange): DeviceChange {
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

/** @returns how many dispatches were asked for */
async function write(
  tx: Db,
  { newId, now, endCommandsOfDevices }: DeviceWriterOptions & { now: Date },
  changes: readonly DeviceChange[],
  before: readonly DeviceRow[],
): Promise<number> {
  if (changes.length === 0) return 0
  const rows = changes.map(({ row }) => row)
  const made = changes.flatMap(({ is_new, row }) => (is_new ? [row] : []))
  const known = changes.flatMap(({ is_new, row }) => (is_new ? [] : [row]))
  if (made.length > 0 && known.length > 0) await lockCounts(tx, [...before, ...rows])
  await insertDevices(tx, made)
  await updateReported(tx, known)
  const audit = changes.flatMap((change) => change.audit)
  await insertAuditEntries(
    tx,
    audit.map((facts) => auditEntry(newId, now, facts)),
  )
  await emitEvents(
    tx,
    changes.flatMap(({ row: { org_id }, events }) =>
      events.map(({ type, data }) => {
        return { id: newId(now), org_id, mode: 'live' as const, type, data, occurred_at: now }
      }),
    ),
  )
  const ended = changes.flatMap(({ is_ended, row }) => (is_ended ? [row] : []))
  if (ended.length > 0) {
    await endCommandsOfDevices(tx, { newId, now }, ended)
    await dropDispatches(tx, ended)
  }
  return await requestAssignments(tx, changes)
}

async function requestAssignments(tx: Db, changes: readonly DeviceChange[]): Promise<number> {
  const managed = changes.filter(({ row }) => row.state !== 'deleted')
  const needed = managed.filter(({ assignment }) => assignment === 'needed')
  const drifted = managed.filter(({ assignment }) => assignment === 'drifted')
  await requestDispatches(
    tx,
    'assign_policy',
    needed.map(({ row: { org_id, id } }) => ({ org_id, subject_id: id })),
  )
  await requestMissingAssignments(
    tx,
    drifted.map(({ row }) => row),
  )
  return needed.length + drifted.length
}
