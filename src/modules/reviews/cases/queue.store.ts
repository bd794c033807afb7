/** Reads the queue of cases by its indexes. Filters examine a limited number of rows per page. */
import { sql } from 'kysely'
import type { Owner } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { HOUR_MS } from '../../../platform/time-units.ts'
import type { CaseRow } from './case-state.ts'
import type { CauseKind } from './cause.ts'
import type { CASE_FILTERS, CaseCounts, CaseOrder } from './schema.ts'

export type CaseQuery = Owner & {
  state: (typeof CASE_FILTERS)[number]
  order: CaseOrder
  cause?: CauseKind | undefined
  /** `none` for cases without an assignee. */
  assignee_id?: string | undefined
  is_escalated?: boolean | undefined
  after?: { value: number; id: string } | undefined
  limit: number
}

const EXAMINED_MAX = 5000
const COUNTED_MAX = 10_000

const COLUMNS = sql`c.org_id, c.id, c.mode, c.cause, c.is_joinable, c.first_at, c.last_at, c.customer,
  c.country, c.currency, c.items, c.open_items, c.frauds, c.risk_score,
  c.amount_cents::float8 as amount_cents, c.is_mixed, c.assignee_id, c.assigned_at, c.waits_until,
  c.escalated_at, c.closed_at, c.closed_by, c.outcome, c.reason_code, c.version`

/** @returns `examined` is the last examined row if their limit ended the page early */
export async function listCases(
  db: Db,
  query: CaseQuery,
  now: Date,
): Promise<{ rows: CaseRow[]; examined: CaseRow | undefined }> {
  const { org_id, mode, state, order, cause, assignee_id, after, limit } = query
  const way = order === 'oldest' ? sql`asc` : sql`desc`
  const beyond = order === 'oldest' ? sql`>` : sql`<`
  const column =
    order === 'amount' ? sql`c.amount_cents` : order === 'score' ? sql`c.risk_score` : undefined
  const sequence = column ? sql`${column} ${way}, c.id ${way}` : sql`c.id ${way}`
  const place =
    after === undefined
      ? sql``
      : column
        ? sql`and (${column}, c.id) ${beyond} (${after.value}, ${after.id}::uuid)`
        : sql`and c.id ${beyond} ${after.id}::uuid`
  const { rows } = await sql<CaseRow>`
    select ${COLUMNS} from cases c
    where c.org_id = ${org_id} and c.mode = ${mode}
      and ${state === 'closed' ? sql`c.closed_at is not null` : sql`c.closed_at is null`} ${place}
    order by ${sequence} limit ${isFiltered(query) ? EXAMINED_MAX : limit}`.execute(db)
  const isWanted = (row: CaseRow) =>
    (cause === undefined || row.cause.startsWith(`${cause}:`)) &&
    (assignee_id === undefined ||
      (assignee_id === 'none' ? row.assignee_id === null : row.assignee_id === assignee_id)) &&
    (query.is_escalated === undefined || query.is_escalated === (row.escalated_at !== null)) &&
    isIn(row, state, now)
  const wanted = rows.filter(isWanted).slice(0, limit)
  const isCut = wanted.length < limit && rows.length === EXAMINED_MAX
  return { rows: wanted, examined: isCut ? rows.at(-1) : undefined }
}

const isFiltered = ({ state, cause, assignee_id, is_escalated }: CaseQuery): boolean =>
  (state !== 'closed' && state !== 'active') ||
  cause !== undefined ||
  assignee_id !== undefined ||
  is_escalated !== undefined

function isIn(row: CaseRow, state: CaseQuery['state'], now: Date): boolean {
  if (state === 'closed' || state === 'active') return true
  const isWaiting = row.waits_until !== null && row.waits_until > now
  if (state === 'waiting') return isWaiting
  return !isWaiting && (row.assignee_id !== null) === (state === 'in_work')
}

export async function findCase(db: Db, orgId: string, id: string): Promise<CaseRow | undefined> {
  const { rows } = await sql<CaseRow>`
    select ${COLUMNS} from cases c where c.org_id = ${orgId} and c.id = ${id}`.execute(db)
  return rows[0]
}

export async function lockCase(tx: Db, orgId: string, id: string): Promise<CaseRow | undefined> {
  const { rows } = await sql<CaseRow>`
    select ${COLUMNS} from cases c where c.org_id = ${orgId} and c.id = ${id}
    for no key update`.execute(tx)
  return rows[0]
}

/** Counts the newest cases that are not closed. */
export async function countCases(
  db: Db,
  { org_id, mode }: Owner,
  { user_id, sla_hours, now }: { user_id: string; sla_hours: number; now: Date },
): Promise<CaseCounts> {
  const overdue = new Date(now.getTime() - sla_hours * HOUR_MS)
  type Row = Omit<CaseCounts, 'amounts' | 'is_complete'> & {
    currency: string | null
    amount_cents: number
    cases: number
  }
  const { rows } = await sql<Row>`
    select c.currency, count(*)::integer as cases, sum(c.open_items)::integer as items,
      sum(c.amount_cents)::float8 as amount_cents,
      (count(*) filter (where c.waits_until > ${now}))::integer as waiting,
      (count(*) filter (where c.assignee_id is not null and not coalesce(c.waits_until > ${now}, false)))::integer as in_work,
      (count(*) filter (where c.assignee_id is null and not coalesce(c.waits_until > ${now}, false)))::integer as open,
      (count(*) filter (where c.assignee_id = ${user_id}))::integer as mine,
      (count(*) filter (where c.escalated_at is not null))::integer as escalated,
      (count(*) filter (where c.first_at < ${overdue}))::integer as overdue
    from (
      select * from cases where org_id = ${org_id} and mode = ${mode} and closed_at is null
      order by id desc limit ${COUNTED_MAX}) c
    group by c.currency`.execute(db)
  const sum = (
    member: 'cases' | 'items' | 'waiting' | 'in_work' | 'open' | 'mine' | 'escalated' | 'overdue',
  ) => rows.reduce((total, row) => total + row[member], 0)
  return {
    open: sum('open'),
    in_work: sum('in_work'),
    waiting: sum('waiting'),
    mine: sum('mine'),
    escalated: sum('escalated'),
    overdue: sum('overdue'),
    items: sum('items'),
    amounts: rows
      .flatMap(({ currency, amount_cents }) =>
        currency === null ? [] : [{ currency, amount_cents }],
      )
      .toSorted((a, b) => b.amount_cents - a.amount_cents),
    is_complete: sum('cases') < COUNTED_MAX,
  }
}
