/**
 * Groups the errors that were beyond the budget of their organization on receipt, before they are
 * flushed, because the group is part of the sums in the analytics engine and cannot change there.
 * Organizations take turns row by row, and all of them together get a part of one core.
 */
import { randomUUID } from 'node:crypto'
import { createDispatcher, type Dispatcher } from '../../platform/dispatch/index.ts'
import type { Log } from '../../platform/log.ts'
import type { Database } from '../../platform/postgres/db.ts'
import {
  claimUngrouped,
  type Payload,
  releaseUngrouped,
  rowsOf,
  type UngroupedRow,
  writeGrouped,
} from '../../platform/spool/index.ts'
import { waitFor } from '../../platform/wait.ts'

/**
 * Returns the row with the group of its error. A row without an error, or with a group, is returned
 * as it is.
 * @param row a binary row, or a line of JSON with the line feed
 */
export type GroupRow = (row: Buffer, isBinary: boolean) => Buffer

export type GrouperOptions = {
  db: Database
  log: Log
  /** By table of the analytics engine. */
  groupRowOf: Readonly<Record<string, GroupRow>>
}

const POLL_MS = 250
/** A row takes a third of a second, more on a busy machine. */
const LEASE_MS = 30_000
/** Works for at most a third of the time. */
const WORK_MS = 1
const PAUSE_MS = 2
const FIRST_ORGANIZATION = '00000000-0000-0000-0000-000000000000'

/** Undefined if the process is stopping. */
type Outcome = UngroupedRow | undefined

export function createGrouper({ db, log, groupRowOf }: GrouperOptions): Dispatcher {
  let after = FIRST_ORGANIZATION
  return createDispatcher<UngroupedRow, Outcome>({
    name: 'grouping of errors',
    log,
    claim: async () => {
      const row = await claimUngrouped(db, { after, lease_id: randomUUID(), lease_ms: LEASE_MS })
      if (row !== undefined) after = row.org_id
      return { jobs: row === undefined ? [] : [row], is_more: row !== undefined }
    },
    groupsOf: () => [],
    send: async (row, stopping) => {
      const groupRow = groupRowOf[row.target]
      if (groupRow === undefined) throw new Error(`no grouping of errors for ${row.target}`)
      const payload = await groupRows(row.payload, groupRow, stopping)
      return payload === undefined ? undefined : { ...row, payload }
    },
    settle: async (sent) => {
      for (const { job, outcome } of sent) {
        if (outcome === undefined) await releaseUngrouped(db, job)
        else await writeGrouped(db, outcome)
      }
    },
    in_flight_max: 1,
    poll_ms: POLL_MS,
  })
}

/** @returns undefined if the process is stopping */
async function groupRows(
  payload: Payload,
  groupRow: GroupRow,
  stopping: AbortSignal,
): Promise<Payload | undefined> {
  const isBinary = payload.shape !== undefined
  const grouped: Buffer[] = []
  let workBegan = performance.now()
  for (const row of rowsOf(payload)) {
    grouped.push(groupRow(row, isBinary))
    if (performance.now() - workBegan > WORK_MS) {
      await waitFor(PAUSE_MS, stopping)
      if (stopping.aborted) return undefined
      workBegan = performance.now()
    }
  }
  return { ...payload, rows: Buffer.concat(grouped) }
}

/** Adds the group to a line of a table that has a column for it. */
export const withFingerprint = (line: string, fingerprint: string): Buffer =>
  Buffer.from(`${line.slice(0, line.lastIndexOf('}'))},"error_fingerprint":"${fingerprint}"}\n`)
