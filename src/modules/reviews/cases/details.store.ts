/** Reads one case: its items, what they have in common, and its history. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import { riskLevel } from '../../risk/index.ts'
import type { ReviewTables } from '../tables.ts'
import type { CaseEdge, CaseEvent, CaseItem, CaseLink } from './schema.ts'

type ReviewColumns = ReviewTables['reviews']

export async function listItems(
  db: Db,
  orgId: string,
  caseId: string,
  rowsMax: number,
): Promise<CaseItem[]> {
  const { rows } = await sql<ReviewColumns>`
    select r.id, r.subject, r.subject_id, r.external_id, r.risk_score, r.reason, r.flags, r.created_at,
      r.amount_cents::float8 as amount_cents, r.currency, r.customer, r.country, r.decision, r.decided_at,
      r.decided_by, r.note
    from reviews r where r.org_id = ${orgId} and r.case_id = ${caseId}
    order by r.id desc limit ${rowsMax}`.execute(db)
  return rows.map(({ created_at, decided_at, ...row }) => ({
    ...row,
    risk_level: riskLevel(row.risk_score),
    created_at: created_at.toISOString(),
    decided_at: decided_at?.toISOString() ?? null,
  }))
}

const LINKS_MAX = 40
const LINKED_MAX = 500

/** Links with the most items first; each is counted over its newest subjects. */
export async function listLinks(
  db: Db,
  { org_id, mode }: Pick<ReviewColumns, 'org_id' | 'mode'>,
  subjectIds: readonly string[],
): Promise<CaseLink[]> {
  const { rows } = await sql<CaseLink>`
    select l.kind, l.value, l.items, a.all_items, a.frauds, a.customers
    from (
      select kind, value, count(*)::integer as items from review_links
      where org_id = ${org_id} and mode = ${mode} and subject_id = any(${[...subjectIds]}::uuid[])
      group by kind, value order by items desc, kind, value limit ${LINKS_MAX}) l
    cross join lateral (
      select count(*)::integer as all_items, count(distinct s.customer)::integer as customers,
        (count(*) filter (where exists (
          select from reviews r where r.org_id = ${org_id} and r.subject_id = s.subject_id
            and r.decision = 'confirmed_fraud')))::integer as frauds
      from (
        select subject_id, customer from review_links
        where org_id = ${org_id} and mode = ${mode} and kind = l.kind and value = l.value
        order by subject_id desc limit ${LINKED_MAX}) s) a
    order by l.items desc, l.kind, l.value`.execute(db)
  return rows
}

const EDGES_MAX = 120

/** Pairs of links that occur together, those with the most items first. */
export async function listEdges(
  db: Db,
  { org_id, mode }: Pick<ReviewColumns, 'org_id' | 'mode'>,
  subjectIds: readonly string[],
): Promise<CaseEdge[]> {
  const { rows } = await sql<CaseEdge>`
    select json_build_object('kind', a.kind, 'value', a.value) as from,
      json_build_object('kind', b.kind, 'value', b.value) as to, count(*)::integer as items
    from review_links a join review_links b
      on b.org_id = a.org_id and b.mode = a.mode and b.subject_id = a.subject_id and b.kind > a.kind
    where a.org_id = ${org_id} and a.mode = ${mode} and a.subject_id = any(${[...subjectIds]}::uuid[])
    group by a.kind, a.value, b.kind, b.value
    order by items desc, a.kind, a.value, b.kind, b.value limit ${EDGES_MAX}`.execute(db)
  return rows
}

const EVENTS_MAX = 500

/** The newest ones, oldest first. */
export async function listEvents(db: Db, orgId: string, caseId: string): Promise<CaseEvent[]> {
  const { rows } = await sql<Omit<CaseEvent, 'at'> & { at: Date }>`
    select id, at, actor, kind, details from case_events
    where org_id = ${orgId} and case_id = ${caseId}
    order by id desc limit ${EVENTS_MAX}`.execute(db)
  return rows.toReversed().map((row) => ({ ...row, at: row.at.toISOString() }))
}

export type NewCaseEvent = Omit<CaseEvent, 'at'> & { at: Date; org_id: string; case_id: string }

export async function insertEvent(tx: Db, event: NewCaseEvent): Promise<void> {
  const { org_id, case_id, id, at, actor, kind, details } = event
  await sql`
    insert into case_events (org_id, case_id, id, at, actor, kind, details)
    values (${org_id}, ${case_id}, ${id}, ${at}, ${actor}, ${kind}, ${JSON.stringify(details)}::jsonb)`.execute(
    tx,
  )
}

/**
 * Deletes a limited number of cases without items, which retention has deleted, and their history.
 * @returns the number of deleted cases
 */
export async function sweepCases(db: Db, before: Date): Promise<number> {
  const result = await sql`
    with old as materialized (
      select org_id, id from cases where last_at < ${before} and items <= 0 limit ${sql.lit(SWEEP_ROWS_MAX)}
    ), gone as (
      delete from case_events e using old where e.org_id = old.org_id and e.case_id = old.id
    )
    delete from cases c using old where c.org_id = old.org_id and c.id = old.id`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}

const SWEEP_ROWS_MAX = 1000
