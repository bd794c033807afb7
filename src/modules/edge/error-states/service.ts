/** States of error groups: what members decided about them, and whether errors came back. */
import type { ClickHouse } from '../../../platform/clickhouse/client.ts'
import { reachable } from '../../../platform/clickhouse/reachable.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Dates } from '../../../platform/date-range.ts'
import { invalidRequest, notFound } from '../../../platform/http/errors.ts'
import { isUuid } from '../../../platform/ids.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import { countGroupBuckets } from '../logs/explorer/store.ts'
import { withinTime } from '../logs/explorer/within-time.ts'
import { parseSpan } from '../logs/reading/query-parameters.ts'
import type { LogReader } from '../logs/reading/store.ts'
import type { Span } from '../logs/reading/window.ts'
import type { ErrorGroupState, ErrorStates, StateChange } from './schema.ts'
import { stateOf } from './state.ts'
import { isMember, lastErrors, listStates, type StateRow, upsertState } from './store.ts'

export type ErrorStatesService = {
  /** In the order of the fingerprints. */
  read(owner: Owner, request: Dates & { fingerprints: readonly string[] }): Promise<ErrorStates>
  /** @throws AppError 404 if there is no such group, 400 that names the member of the change */
  change(
    owner: Owner & { user_id: string },
    fingerprint: string,
    change: StateChange,
  ): Promise<ErrorGroupState>
}

export type ErrorStatesOptions = {
  db: Database
  clickhouse: Pick<ClickHouse, 'query'>
  clock: Clock
  edge_window_days: number
}

/** An organization has a few hundred groups. */
const STATES_MAX = 10_000

export function createErrorStates(options: ErrorStatesOptions): ErrorStatesService {
  const { db, clock, edge_window_days } = options
  const reader = withinTime(options.clickhouse)
  return {
    read: async (owner, request) => {
      const now = clock.now()
      const { fingerprints } = request
      const span = parseSpan(request, now, edge_window_days * DAY_MS)
      const rows = await listStates(db, owner, fingerprints)
      const [last, previous] = await reachable(
        'Errors',
        Promise.all([
          lastAfterResolution(reader, owner, rows),
          countBefore(reader, owner, { span, fingerprints }),
        ]),
      )
      const states = fingerprints.map((fingerprint) => {
        const row = rows.find((each) => each.fingerprint === fingerprint)
        return {
          ...recordOf(fingerprint, row, { lastErrorMs: last.get(fingerprint), now }),
          previous_count: previous.get(fingerprint) ?? 0,
        }
      })
      return { states }
    },
    change: async ({ org_id, mode, user_id }, fingerprint, { state, assignee_id, ...change }) => {
      const now = clock.now()
      const owner = { org_id, mode }
      if (!(await isKnown(db, reader, owner, fingerprint))) throw notFound()
      const isOfMember =
        assignee_id && isUuid(assignee_id) && (await isMember(db, org_id, assignee_id))
      if (assignee_id && !isOfMember) {
        throw invalidRequest('assignee_id', 'assignee_id must be a member of the organization')
      }
      const ignored_until = endOf(change.ignored_until, state === 'ignored', now)
      const changed = { fingerprint, changed_by: user_id, changed_at: now }
      const row = await upsertState(
        db,
        owner,
        { ...changed, state, ignored_until, assignee_id },
        STATES_MAX,
      )
      if (row) return recordOf(fingerprint, row, { lastErrorMs: undefined, now })
      const message = `fingerprint is one too many: ${STATES_MAX} error groups have a state already`
      throw invalidRequest('fingerprint', message)
    },
  }
}

/** Whether the group has stored errors, or a state from the time when it had. */
async function isKnown(db: Database, reader: LogReader, owner: Owner, fingerprint: string) {
  const fingerprints = [fingerprint]
  if ((await listStates(db, owner, fingerprints)).length > 0) return true
  return (await reachable('Errors', lastErrors(reader, owner, { fingerprints }))).size > 0
}

function endOf(text: string | null | undefined, isIgnored: boolean, now: Date): Date | null {
  if (text === undefined || text === null) return null
  const end = new Date(text)
  const field = 'ignored_until'
  if (!isIgnored) throw invalidRequest(field, `${field} needs the state ignored`)
  if (!(end > now)) throw invalidRequest(field, `${field} must be in the future`)
  return end
}

async function lastAfterResolution(reader: LogReader, owner: Owner, rows: readonly StateRow[]) {
  const resolved = rows.filter(({ state }) => state === 'resolved')
  if (resolved.length === 0) return new Map<string, number>()
  const fingerprints = resolved.map(({ fingerprint }) => fingerprint)
  const from_ms = Math.min(...resolved.map(({ changed_at }) => changed_at.getTime()))
  return await lastErrors(reader, owner, { fingerprints, from_ms })
}

/** Counts the errors in the time of the same length before the span. */
async function countBefore(
  reader: LogReader,
  owner: Owner,
  { span, fingerprints }: { span: Span; fingerprints: readonly string[] },
): Promise<Map<string, number>> {
  const { from_ms, until_ms } = span
  const window = { from_ms: from_ms - (until_ms - from_ms) - 1, until_ms: from_ms - 1 }
  const counts = new Map<string, number>()
  const query = { window, fingerprints, bucketMs: DAY_MS }
  for (const { fingerprint, logs } of await countGroupBuckets(reader, owner, query)) {
    counts.set(fingerprint, (counts.get(fingerprint) ?? 0) + logs)
  }
  return counts
}

function recordOf(
  fingerprint: string,
  row: StateRow | undefined,
  { lastErrorMs, now }: { lastErrorMs: number | undefined; now: Date },
): ErrorGroupState {
  const state = stateOf(row, lastErrorMs, now)
  const { assignee_id = null, email = null, ignored_until, changed_at } = row ?? {}
  return {
    fingerprint,
    state,
    ignored_until: (state === 'ignored' && ignored_until?.toISOString()) || null,
    assignee: assignee_id === null ? null : { user_id: assignee_id, email },
    changed_at: changed_at?.toISOString() ?? null,
  }
}
