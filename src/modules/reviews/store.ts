/** The queue and the decisions. */
import { type RawBuilder, sql } from 'kysely'
import { isUuid } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { ReviewTables } from '../../platform/postgres/tables/reviews.ts'
import type { Reader, Writer } from '../../platform/states/index.ts'
import type { ReviewPeople } from './schema.ts'
import type { Label, Scope } from './subject.ts'

export type ReviewRow = ReviewTables['reviews']
export type DecisionRow = Omit<ReviewTables['review_decisions'], 'position'>
/** As it is when it enters the queue. */
export type NewReview = Omit<ReviewRow, 'decision' | 'decided_at' | 'decided_by' | 'note'>
export type SubjectKey = { org_id: string; subject_id: string }

export const COLUMNS = sql`r.org_id, r.id, r.mode, r.subject, r.subject_id, r.external_id, r.risk_score,
  r.flags, r.reason, r.created_at, r.decision, r.decided_at, r.decided_by, r.note`

const DECISION_COLUMNS = sql`d.org_id, d.subject_id, d.number, d.mode, d.subject, d.decision,
  d.after_seq, d.decided_at, d.decided_by, d.note`

/**
 * A piece of SQL for the statement that writes the order or action. As JSON, because few are
 * flagged: most statements do without.
 */
export function insertReviews(rows: readonly (NewReview | ReviewRow)[]): RawBuilder<unknown> {
  return sql`
    insert into reviews (org_id, id, mode, subject, subject_id, external_id, risk_score, flags,
      reason, created_at, decision, decided_at, decided_by, note)
    select ${COLUMNS} from json_to_recordset(${JSON.stringify(rows)}::json) as r (
      org_id uuid, id uuid, mode text, subject text, subject_id uuid, external_id text,
      risk_score smallint, flags text[], reason text, created_at timestamptz, decision text,
      decided_at timestamptz, decided_by text, note text)
    on conflict do nothing`
}

export const reviewWriter: Writer<NewReview | ReviewRow> = { name: 'reviews', write: insertReviews }

/** A number that was taken meanwhile fails the statement: the decision is made again. */
export const decisionWriter: Writer<DecisionRow> = {
  name: 'review_decisions',
  write: (rows) => sql`
    insert into review_decisions (org_id, subject_id, number, mode, subject, decision, after_seq,
      decided_at, decided_by, note)
    select ${DECISION_COLUMNS} from json_to_recordset(${JSON.stringify(rows)}::json) as d (
      org_id uuid, subject_id uuid, number smallint, mode text, subject text, decision text,
      after_seq bigint, decided_at timestamptz, decided_by text, note text)`,
}

export type ReviewLabel = SubjectKey &
  Pick<DecisionRow, 'decision' | 'decided_at' | 'decided_by' | 'note'>

/** All rows about one subject say the same. */
export const labelWriter: Writer<ReviewLabel> = {
  name: 'review_labels',
  write: (rows) => sql`
    update reviews r set
      decision = d.decision, decided_at = d.decided_at, decided_by = d.decided_by, note = d.note
    from json_to_recordset(${JSON.stringify(rows)}::json) as d (
      org_id uuid, subject_id uuid, decision text, decided_at timestamptz, decided_by text,
      note text)
    where r.org_id = d.org_id and r.subject_id = d.subject_id`,
}

export type SubjectReviews = { reviews: ReviewRow[]; decisions: DecisionRow[] }

/** Everything there is about a subject, decisions in the order in which they were made. */
export const subjectReader: Reader<SubjectKey, SubjectReviews> = {
  name: 'subject_reviews',
  read: async (db, keys) => {
    const wanted = sql`unnest(
      ${keys.map(({ org_id }) => org_id)}::uuid[],
      ${keys.map(({ subject_id }) => subject_id)}::uuid[]
    ) with ordinality as k (org_id, subject_id, index)`
    const [reviews, decisions] = await Promise.all([
      sql<ReviewRow & { index: number }>`
        select k.index, ${COLUMNS} from ${wanted}
        join reviews r on r.org_id = k.org_id and r.subject_id = k.subject_id
        order by r.id`.execute(db),
      sql<DecisionRow & { index: number }>`
        select k.index, ${DECISION_COLUMNS} from ${wanted}
        join review_decisions d on d.org_id = k.org_id and d.subject_id = k.subject_id
        order by d.number`.execute(db),
    ])
    const of = <Row extends { index: number }>(rows: readonly Row[], position: number) =>
      rows.filter(({ index }) => index === position).map(({ index: _index, ...row }) => row)
    return keys.map((_key, position) => ({
      reviews: of(reviews.rows, position + 1),
      decisions: of(decisions.rows, position + 1),
    }))
  },
}

/** A decision with the one that it changed. */
export type LabelRow = DecisionRow & { position: number; previous: Label | undefined }

/** Decisions about orders or actions in the order in which the states learnt them. */
export async function readLabelsAfter(
  db: Db,
  { org_id, mode, subject }: Pick<DecisionRow, 'org_id' | 'mode' | 'subject'>,
  after: LabelRow | undefined,
  rowsMax: number,
): Promise<LabelRow[]> {
  type Found = Omit<LabelRow, 'previous'> & {
    was: Label['decision'] | null
    was_at: Date | null
  }
  const { rows } = await sql<Found>`
    select d.*, p.decision as was, p.decided_at as was_at
    from review_decisions d left join review_decisions p
      on p.org_id = d.org_id and p.subject_id = d.subject_id and p.number = d.number - 1
    where d.org_id = ${org_id} and d.mode = ${mode} and d.subject = ${subject}
      and d.position > ${after?.position ?? 0}
    order by d.position limit ${rowsMax}`.execute(db)
  return rows.map(({ was, was_at, ...row }) => ({
    ...row,
    previous: was && was_at ? { decision: was, decided_at: was_at } : undefined,
  }))
}

/** The operator knows the review but not whose it is: one index probe per organisation. */
export async function findReview(
  db: Db,
  id: string,
  { org_id, mode }: Scope,
): Promise<ReviewRow | undefined> {
  const { rows } = await sql<ReviewRow>`
    select ${COLUMNS} from organizations o join reviews r on r.org_id = o.id and r.id = ${id}
    where ${org_id === undefined ? sql`true` : sql`o.id = ${org_id}`}
      and ${mode === undefined ? sql`true` : sql`r.mode = ${mode}`}`.execute(db)
  return rows[0]
}

/** The row of the subject itself, not that of an alert. */
export async function findReviewOf(
  db: Db,
  orgId: string,
  subjectId: string,
): Promise<ReviewRow | undefined> {
  const { rows } = await sql<ReviewRow>`
    select ${COLUMNS} from reviews r
    where r.org_id = ${orgId} and r.subject_id = ${subjectId} and r.subject <> 'alert'
    limit 1`.execute(db)
  return rows[0]
}

/** E-mail addresses of members by the id of their account; others, such as the operator, have none. */
export async function listPeople(
  db: Db,
  orgId: string,
  ids: readonly (string | null)[],
): Promise<ReviewPeople> {
  const wanted = [...new Set(ids)].filter((id) => id !== null && isUuid(id))
  if (wanted.length === 0) return {}
  const { rows } = await sql<{ id: string; email: string }>`
    select u.id, u.email from memberships m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.user_id = any(${wanted}::uuid[])`.execute(db)
  return Object.fromEntries(rows.map(({ id, email }) => [id, email]))
}

/** Deletes old reviews with the decisions about them, a bounded number at a time. @returns how many */
export async function sweepReviews(db: Db, before: Date): Promise<number> {
  const result = await sql`
    with old as materialized (
      select ctid, org_id, subject_id from reviews where created_at < ${before}
      limit ${sql.lit(SWEEP_ROWS_MAX)}
    ), gone as (
      delete from review_decisions where ctid = any(array(
        -- Lateral with an offset, so that no plan can begin with the whole table.
        select d.ctid from old cross join lateral (
          select d.ctid from review_decisions d
          where d.org_id = old.org_id and d.subject_id = old.subject_id offset 0) d))
    )
    delete from reviews where ctid = any(array(select ctid from old))`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}

const SWEEP_ROWS_MAX = 5000
