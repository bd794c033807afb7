/**
 * Cases: what has to be looked at together, who does it, and what was decided. Each item is decided by a
 * separate step, so that decisions about single items can differ and be changed.
 */
import type { Clock } from '../../../platform/clock.ts'
import { invalidRequest, notFound } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { emailsOf } from '../../accounts/index.ts'
import type { insertAudit } from '../../audit/index.ts'
import type { Reviews } from '../service.ts'
import { listPeople } from '../store.ts'
import type { CaseEventKind, Decision } from '../tables.ts'
import { type CaseRow, recordOf } from './case-state.ts'
import { insertEvent, listEdges, listEvents, listItems, listLinks } from './details.store.ts'
import { type CaseQuery, countCases, findCase, listCases, lockCase } from './queue.store.ts'
import type {
  CaseCounts,
  CaseDetails,
  CaseItem,
  CaseList,
  CaseRecord,
  CaseSettings,
  DecidedCase,
} from './schema.ts'
import { readSettings, writeSettings } from './settings.store.ts'
import { updateCase } from './work.store.ts'

/** Items that are shown, and that one request decides. */
export const ITEMS_MAX = 500
/** Waiting longer than this is a decision not to decide. */
const WAIT_DAYS_MAX = 90
const DAY_MS = 86_400_000

export type Actor = { org_id: string; user_id: string }

export type CaseChange = {
  /** Version of the case that the member saw. */
  version: number
  /** Null releases the case. */
  assignee_id?: string | null | undefined
  /** Null ends the wait. */
  waits_until?: string | null | undefined
  is_escalated?: boolean | undefined
}

export type Cases = {
  list(query: CaseQuery): Promise<CaseList>
  counts(owner: Owner, userId: string): Promise<CaseCounts>
  find(orgId: string, id: string): Promise<CaseDetails>
  /** @throws AppError 404, 400 naming `version` if the case has changed, 400 naming the member */
  change(actor: Actor, id: string, change: CaseChange): Promise<CaseRecord>
  /**
   * Decides undecided items, or the named ones, also decided ones. A case that no one works on is assigned to
   * the member. The case closes when all of its items are decided.
   * @throws AppError 404, 400 naming `case` if another member works on the case
   */
  decide(
    actor: Actor,
    id: string,
    decision: {
      decision: Decision
      review_ids?: readonly string[] | undefined
      note?: string | undefined
      reason_code?: string | undefined
    },
  ): Promise<DecidedCase>
  /** Closes a case whose items remain undecided. */
  close(
    actor: Actor,
    id: string,
    closing: { version: number; reason_code: string; note?: string | undefined },
  ): Promise<CaseRecord>
  reopen(actor: Actor, id: string, version: number): Promise<CaseRecord>
  note(actor: Actor, id: string, text: string): Promise<CaseRecord>
  settings(orgId: string): Promise<CaseSettings>
  changeSettings(actor: Actor, settings: CaseSettings): Promise<CaseSettings>
}

export type CasesDependencies = {
  db: Database
  directory: Database
  clock: Clock
  newId: NewId
  reviews: Pick<Reviews, 'decide'>
  audit: typeof insertAudit
}

export function createCases(deps: CasesDependencies): Cases {
  const { db, directory, clock, newId, reviews, audit } = deps

  const recordFor = async (row: CaseRow): Promise<CaseRecord> =>
    recordOf(row, (await readSettings(db, row.org_id)).sla_hours, clock.now())

  /** Changes a case under its lock. The event is part of its history. */
  const inCase = async <Result>(
    { org_id, user_id }: Actor,
    id: string,
    work: (tx: Db, row: CaseRow, note: Noter) => Promise<Result>,
  ): Promise<Result> => {
    if (!isUuid(id)) throw notFound()
    return await db.transaction().execute(async (tx) => {
      const row = await lockCase(tx, org_id, id)
      if (row === undefined) throw notFound()
      const now = clock.now()
      return await work(tx, row, async (kind, details = {}) => {
        const event = {
          org_id,
          case_id: id,
          id: newId(now),
          at: now,
          actor: user_id,
          kind,
          details,
        }
        await insertEvent(tx, event)
      })
    })
  }

  const requireMember = async (orgId: string, userId: string): Promise<string> => {
    const people = await listPeople(directory, orgId, [userId])
    const email = people[userId]
    if (email === undefined) {
      throw invalidRequest('assignee_id', 'assignee_id must be a member of the organization')
    }
    return email
  }

  const requireReason = async (orgId: string, code: string | undefined): Promise<void> => {
    if (code === undefined) return
    const { reason_codes } = await readSettings(db, orgId)
    if (!reason_codes.some((reason) => reason.code === code)) {
      throw invalidRequest('reason_code', 'reason_code is not one of the organization')
    }
  }

  return {
    list: async (query) => {
      const now = clock.now()
      const { sla_hours } = await readSettings(db, query.org_id)
      const { rows, examined } = await listCases(db, query, now)
      const last = examined ?? (rows.length === query.limit ? rows.at(-1) : undefined)
      const ids = rows.flatMap(({ assignee_id, closed_by }) => [assignee_id, closed_by])
      return {
        cases: rows.map((row) => recordOf(row, sla_hours, now)),
        next_cursor: last ? cursorOf(last, query.order) : null,
        people: await listPeople(directory, query.org_id, ids),
      }
    },

    counts: async (owner, userId) => {
      const { sla_hours } = await readSettings(db, owner.org_id)
      return await countCases(db, owner, { user_id: userId, sla_hours, now: clock.now() })
    },

    find: async (orgId, id) => {
      const row = isUuid(id) ? await findCase(db, orgId, id) : undefined
      if (row === undefined) throw notFound()
      const [items, events] = await Promise.all([
        listItems(db, orgId, id, ITEMS_MAX),
        listEvents(db, orgId, id),
      ])
      const subjects = [...new Set(items.map(({ subject_id }) => subject_id))]
      const [links, edges] = await Promise.all([
        listLinks(db, row, subjects),
        listEdges(db, row, subjects),
      ])
      const emails = await emailsOf(directory, [
        row.assignee_id,
        row.closed_by,
        ...items.map(({ decided_by }) => decided_by),
        ...events.map(({ actor }) => actor),
      ])
      return {
        case: await recordFor(row),
        items,
        links,
        edges,
        events,
        people: Object.fromEntries(emails),
      }
    },

    change: async (actor, id, { version, ...change }) => {
      const { assignee_id, waits_until, is_escalated } = change
      const assignee = assignee_id ? await requireMember(actor.org_id, assignee_id) : undefined
      const until = waits_until ? readWait(waits_until, clock.now()) : null
      const changed = await inCase(actor, id, async (tx, row, note) => {
        requireVersion(row, version)
        requireOpen(row)
        if (assignee_id !== undefined && assignee_id !== row.assignee_id) {
          if (assignee_id === null) await note('released')
          else if (assignee_id === actor.user_id) await note('claimed')
          else await note('assigned', { to: assignee })
        }
        if (waits_until !== undefined) {
          await (until ? note('waiting', { until: until.toISOString() }) : note('resumed'))
        }
        if (is_escalated !== undefined && is_escalated !== (row.escalated_at !== null)) {
          await note(is_escalated ? 'escalated' : 'deescalated')
        }
        const now = clock.now()
        return await updateCase(tx, row, {
          ...(assignee_id !== undefined && {
            assignee_id,
            assigned_at: assignee_id === null ? null : now,
          }),
          ...(waits_until !== undefined && { waits_until: until }),
          ...(is_escalated !== undefined && { escalated_at: is_escalated ? now : null }),
        })
      })
      return await recordFor(changed)
    },

    decide: async (actor, id, { decision, review_ids, note: text, reason_code }) => {
      const { org_id, user_id } = actor
      await requireReason(org_id, reason_code)
      await inCase(actor, id, async (tx, row, note) => {
        if (row.assignee_id !== null && row.assignee_id !== user_id) {
          throw invalidRequest(
            'case',
            'case is in work by another member; assign it to yourself first',
          )
        }
        if (row.assignee_id === null) {
          await note('claimed')
          await updateCase(tx, row, { assignee_id: user_id, assigned_at: clock.now() })
        }
      })
      const items = await listItems(db, org_id, id, ITEMS_MAX)
      const chosen = chosenItems(items, review_ids)
      const results = await Promise.all(
        chosen.map(async (item) => {
          const request = { decision, by: user_id, note: text, expected: item.decision }
          return { item, result: await reviews.decide(item.id, { org_id }, request) }
        }),
      )
      const refused = results.flatMap(({ item, result }) =>
        'refused' in result
          ? [
              {
                review_id: item.id,
                reason:
                  result.refused === 'overtaken' ? ('overtaken' as const) : ('not_found' as const),
              },
            ]
          : [],
      )
      const decided = results.length - refused.length
      const row = await inCase(actor, id, async (tx, after, note) => {
        if (decided === 0) return after
        await note('decided', { decision, items: decided, ...(reason_code && { reason_code }) })
        const isClosed = after.closed_at !== null && after.closed_by === null
        if (isClosed) await note('closed', { outcome: after.outcome })
        return await updateCase(tx, after, {
          ...(reason_code && { reason_code }),
          ...(isClosed && { closed_by: user_id }),
        })
      })
      return { case: await recordFor(row), decided, refused }
    },

    close: async (actor, id, { version, reason_code, note: text }) => {
      await requireReason(actor.org_id, reason_code)
      const closed = await inCase(actor, id, async (tx, row, note) => {
        requireVersion(row, version)
        requireOpen(row)
        if (text) await note('noted', { text })
        await note('closed', { outcome: 'unsure', reason_code })
        return await updateCase(tx, row, {
          closed_at: clock.now(),
          closed_by: actor.user_id,
          outcome: 'unsure',
          reason_code,
          is_joinable: false,
          waits_until: null,
        })
      })
      return await recordFor(closed)
    },

    reopen: async (actor, id, version) => {
      const opened = await inCase(actor, id, async (tx, row, note) => {
        requireVersion(row, version)
        if (row.closed_at === null) throw invalidRequest('case', 'case is not closed')
        await note('reopened')
        return await updateCase(tx, row, { closed_at: null, closed_by: null, outcome: null })
      })
      return await recordFor(opened)
    },

    note: async (actor, id, text) => {
      const noted = await inCase(actor, id, async (_tx, row, note) => {
        await note('noted', { text })
        return row
      })
      return await recordFor(noted)
    },

    settings: async (orgId) => await readSettings(db, orgId),

    changeSettings: async ({ org_id, user_id }, settings) => {
      const codes = settings.reason_codes.map(({ code }) => code)
      if (new Set(codes).size < codes.length) {
        throw invalidRequest('reason_codes', 'reason_codes must have different codes')
      }
      const now = clock.now()
      await db.transaction().execute(async (tx) => {
        await writeSettings(tx, org_id, settings)
        const { sla_hours, reason_codes } = settings
        const details = { sla_hours, reason_codes: reason_codes.length }
        const entry = { id: newId(now), at: now, actor_user_id: user_id, action: 'cases.changed' }
        await audit(tx, org_id, { ...entry, details })
      })
      return settings
    },
  }
}

type Noter = (kind: CaseEventKind, details?: Record<string, unknown>) => Promise<void>

const cursorOf = (row: CaseRow, order: CaseQuery['order']): string =>
  `${order === 'amount' ? row.amount_cents : order === 'score' ? row.risk_score : 0}.${row.id}`

/** The undecided items, or the named ones; of several reviews of one order only the first. */
function chosenItems(items: readonly CaseItem[], ids: readonly string[] | undefined): CaseItem[] {
  const unknown = ids?.find((id) => !items.some((item) => item.id === id))
  if (unknown !== undefined) {
    throw invalidRequest('review_ids', 'review_ids must be reviews of the case')
  }
  const wanted = items.filter(({ id, decision }) => (ids ? ids.includes(id) : decision === null))
  const first = new Map(wanted.toReversed().map((item) => [item.subject_id, item]))
  return [...first.values()]
}

function requireVersion(row: CaseRow, version: number): void {
  if (row.version !== version) {
    throw invalidRequest(
      'version',
      'version is not the current one: another member has changed the case',
    )
  }
}

function requireOpen(row: CaseRow): void {
  if (row.closed_at !== null) throw invalidRequest('case', 'case is closed; reopen it first')
}

function readWait(text: string, now: Date): Date {
  const until = new Date(text)
  if (!(until > now)) throw invalidRequest('waits_until', 'waits_until must be in the future')
  if (until.getTime() - now.getTime() > WAIT_DAYS_MAX * DAY_MS) {
    throw invalidRequest('waits_until', `waits_until must be within ${WAIT_DAYS_MAX} days`)
  }
  return until
}
