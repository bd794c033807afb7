/** States of error groups: what members decided about them, and whether errors came back. */
import type { ClickHouse } from '../../../platform/clickhouse/client.ts'
import { reachable } from '../../../platform/clickhouse/reachable.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Dates } from '../../../platform/date-range.ts'
import { invalidRequest, notFound } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import { emailsOf } from '../../accounts/index.ts'
import type { insertAudit } from '../../audit/index.ts'
import { groupOf, type Merges, membersOf } from '../error-merges/merges.ts'
import { listMerges } from '../error-merges/store.ts'
import { countGroupBuckets } from '../logs/explorer/store.ts'
import { withinTime } from '../logs/explorer/within-time.ts'
import type { GroupSelection } from '../logs/reading/error-groups.store.ts'
import { parseSpan } from '../logs/reading/query-parameters.ts'
import type { LogReader } from '../logs/reading/store.ts'
import type { Span } from '../logs/reading/window.ts'
import type { ErrorGroupState, ErrorStates, StateChange, StateFilters } from './schema.ts'
import { selectionOf, stateOf } from './state.ts'
import {
  isMember,
  lastErrors,
  listAllStates,
  listStates,
  type StateRow,
  upsertState,
} from './store.ts'

export type ErrorStatesService = {
  /** The groups that the list of groups shows; undefined for all. */
  select(owner: Owner, filters: StateFilters): Promise<GroupSelection | undefined>
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
  directory: Database
  clickhouse: Pick<ClickHouse, 'query'>
  clock: Clock
  newId: NewId
  audit: typeof insertAudit
  edge_window_days: number
}

/** An organization has a few hundred groups. */
const STATES_MAX = 10_000

export function createErrorStates(options: ErrorStatesOptions): ErrorStatesService {
  const { db, directory, clock, newId, audit, edge_window_days } = options
  const reader = withinTime(options.clickhouse)
  return {
    select: async (owner, filters) => {
      if (filters.state === undefined && filters.assignee_id === undefined) return undefined
      const now = clock.now()
      const rows = await listAllStates(db, owner)
      const merges = await listMerges(db, owner)
      const last = await reachable('Errors', lastAfterResolution(reader, owner, { rows, merges }))
      const decided = rows.map((row) => ({
        ...row,
        state: stateOf(row, last.get(row.fingerprint), now),
      }))
      return selectionOf(decided, filters)
    },
    read: async (owner, request) => {
      const now = clock.now()
      const { fingerprints } = request
      const span = parseSpan(request, now, edge_window_days * DAY_MS)
      const rows = await listStates(db, owner, fingerprints)
      const merges = await listMerges(db, owner)
      const assignees = emailsOf(
        directory,
        rows.map(({ assignee_id }) => assignee_id),
      )
      const [last, previous] = await reachable(
        'Errors',
        Promise.all([
          lastAfterResolution(reader, owner, { rows, merges }),
          countBefore(reader, owner, { span, fingerprints, merges }),
        ]),
      )
      const emails = await assignees
      const states = fingerprints.map((fingerprint) => {
        const row = rows.find((each) => each.fingerprint === fingerprint)
        return {
          ...recordOf(fingerprint, row, { lastErrorMs: last.get(fingerprint), emails, now }),
          previous_count: previous.get(fingerprint) ?? 0,
        }
      })
      return { states }
    },
    change: async ({ org_id, mode, user_id }, changedGroup, change) => {
      const { state, assignee_id, link } = change
      const now = clock.now()
      const owner = { org_id, mode }
      const fingerprint = groupOf(await listMerges(db, owner), changedGroup)
      if (!(await isKnown(db, reader, owner, fingerprint))) throw notFound()
      const isOfMember =
        assignee_id && isUuid(assignee_id) && (await isMember(directory, org_id, assignee_id))
      if (assignee_id && !isOfMember) {
        throw invalidRequest('assignee_id', 'assignee_id must be a member of the organization')
      }
      const ignored_until = endOf(change.ignored_until, state === 'ignored', now)
      if (link && !/^https?:\/\/\S+$/.test(link)) {
        throw invalidRequest('link', 'link must be an http(s) URL')
      }
      const changed = { fingerprint, changed_by: user_id, changed_at: now }
      const facts = { ...changed, state, ignored_until, assignee_id, link }
      const emails = await emailsOf(directory, [assignee_id ?? null])
      const email = emails.get(assignee_id ?? '') ?? null
      const row = await db.transaction().execute(async (tx) => {
        const stored = await upsertState(tx, owner, facts, STATES_MAX)
        if (stored === undefined) return undefined
        const actor = { id: newId(now), at: now, actor_user_id: user_id }
        const action = 'error_group.changed'
        const details = detailsOf(mode, change, stored, email)
        await audit(tx, org_id, { ...actor, action, target: fingerprint, details })
        return stored
      })
      if (row) {
        const shown =
          assignee_id === undefined ? await emailsOf(directory, [row.assignee_id]) : emails
        return recordOf(fingerprint, row, { lastErrorMs: undefined, emails: shown, now })
      }
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

/** The changed members, for the audit log. */
const detailsOf = (
  mode: Owner['mode'],
  { state, assignee_id, link }: StateChange,
  { ignored_until }: StateRow,
  email: string | null,
): Record<string, unknown> => ({
  mode,
  ...(state !== undefined && { state }),
  ...(state === 'ignored' && ignored_until && { ignored_until: ignored_until.toISOString() }),
  ...(assignee_id !== undefined && { assignee: email }),
  ...(link !== undefined && { link }),
})

async function lastAfterResolution(
  reader: LogReader,
  owner: Owner,
  { rows, merges }: { rows: readonly StateRow[]; merges: Merges },
) {
  const resolved = rows.filter(({ state }) => state === 'resolved')
  if (resolved.length === 0) return new Map<string, number>()
  const groups = resolved.map(({ fingerprint }) => fingerprint)
  const from_ms = Math.min(...resolved.map(({ changed_at }) => changed_at.getTime()))
  const fingerprints = membersOf(merges, groups)
  const last = new Map<string, number>()
  for (const [each, ms] of await lastErrors(reader, owner, { fingerprints, from_ms })) {
    const group = groupOf(merges, each)
    last.set(group, Math.max(ms, last.get(group) ?? ms))
  }
  return last
}

/** Counts the errors in the time of the same length before the span. */
async function countBefore(
  reader: LogReader,
  owner: Owner,
  { span, merges, ...wanted }: { span: Span; merges: Merges; fingerprints: readonly string[] },
): Promise<Map<string, number>> {
  const { from_ms, until_ms } = span
  const window = { from_ms: from_ms - (until_ms - from_ms) - 1, until_ms: from_ms - 1 }
  const counts = new Map<string, number>()
  const fingerprints = membersOf(merges, wanted.fingerprints)
  const query = { window, fingerprints, bucketMs: DAY_MS }
  for (const { fingerprint, logs } of await countGroupBuckets(reader, owner, query)) {
    const group = groupOf(merges, fingerprint)
    counts.set(group, (counts.get(group) ?? 0) + logs)
  }
  return counts
}

function recordOf(
  fingerprint: string,
  row: StateRow | undefined,
  {
    lastErrorMs,
    emails,
    now,
  }: { lastErrorMs: number | undefined; emails: ReadonlyMap<string, string>; now: Date },
): ErrorGroupState {
  const state = stateOf(row, lastErrorMs, now)
  const { assignee_id = null, link = null, ignored_until, changed_at } = row ?? {}
  const email = emails.get(assignee_id ?? '') ?? null
  return {
    fingerprint,
    state,
    ignored_until: (state === 'ignored' && ignored_until?.toISOString()) || null,
    assignee: assignee_id === null ? null : { user_id: assignee_id, email },
    link,
    changed_at: changed_at?.toISOString() ?? null,
  }
}
