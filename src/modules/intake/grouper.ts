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
  releaseUngrouped,
  type UngroupedRow,
  writeGrouped,
} from '../../platform/spool/index.ts'
import { waitFor } from '../../platform/wait.ts'

/**
 * Returns the line with the group of its error. A line without an error, or with a group, is returned
 * as it is.
 * @param line JSON without the line feed
 */
export type GroupLine = (line: string) => string

export type GrouperOptions = {
  db: Database
  log: Log
  /** By table of the analytics engine. */
  groupLineOf: Readonly<Record<string, GroupLine>>
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

export function createGrouper({ db, log, groupLineOf }: GrouperOptions): Dispatcher {
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
      const groupLine = groupLineOf[row.target]
      if (groupLine === undefined) throw new Error(`no grouping of errors for ${row.target}`)
      const lines = await groupLines(row.lines, groupLine, stopping)
      return lines === undefined ? undefined : { ...row, lines }
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
async function groupLines(
  lines: string,
  groupLine: GroupLine,
  stopping: AbortSignal,
): Promise<string | undefined> {
  let grouped = ''
  let workBegan = performance.now()
  for (const line of lines.split('\n')) {
    if (line !== '') grouped += `${groupLine(line)}\n`
    if (performance.now() - workBegan > WORK_MS) {
      await waitFor(PAUSE_MS, stopping)
      if (stopping.aborted) return undefined
      workBegan = performance.now()
    }
  }
  return grouped
}

/** Adds the group to a line of a table that has a column for it. */
export const withFingerprint = (line: string, fingerprint: string): string =>
  `${line.slice(0, -1)},"error_fingerprint":"${fingerprint}"}`
