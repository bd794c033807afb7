import { type RawBuilder, sql } from 'kysely'
import { isUuid } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Writer } from '../../platform/postgres/rows.ts'
import type { Reader } from '../../platform/states/index.ts'
import { type FlaggedReview, JOINED_CASE } from './cases/join.store.ts'
import { factsToStore } from './order-facts.store.ts'
import type { ReviewRow } from './review-row.ts'
import type { ReviewPeople } from './schema.ts'
import type { Label, Scope } from './subject.ts'
import type { ReviewTables } from './tables.ts'

export type { ReviewRow } from './review-row.ts'
export type DecisionRow = Omit<
  ReviewTables['review_decisions'],
  'position' | 'amount_cents' | 'currency' | 'rules' | 'shadow_rules'
>
/** A review without a decision. */
export type NewReview = Omit<ReviewRow, 'decision' | 'decided_at' | 'decided_by' | 'note'>
export type SubjectKey = { org_id: string; subject_id: string }

export const COLUMNS = sql`r.org_id, r.id, r.mode, r.subject, r.subject_id, r.external_id, r.risk_score,
  r.flags, r.reason, r.created_at, r.decision, r.decided_at, r.decided_by, r.note`

const DECISION_COLUMNS = sql`d.org_id, d.subject_id, d.number, d.mode, d.subject, d.decision,
  d.after_seq, d.decided_at, d.decided_by, d.note, d.source`

/**
 * Returns SQL that is part of the statement that writes the order or action. Rows are passed as
 * JSON because most statements write no review. A row with causes joins a case.
 */
export function insertReviews(
  rows: readonly (NewReview | ReviewRow | FlaggedReview)[],
): RawBuilder<unknown> {
  return sql`
    insert into reviews (org_id, id, mode, subject, subject_id, external_id, risk_score, flags,
      reason, created_at, decision, decided_at, decided_by, note, amount_cents, currency, customer,
      country, case_id)
    select ${COLUMNS}, r.amount_cents, r.currency, r.customer, r.country,
      case when r.causes is not null then ${JOINED_CASE} end
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (
      org_id uuid, id uuid, mode text, subject text, subject_id uuid, external_id text,
      risk_score smallint, flags text[], reason text, created_at timestamptz, decision text,
      decided_at timestamptz, decided_by text, note text, amount_cents bigint, currency text,
      customer text, country text, case_id uuid, causes text[])
    on conflict do nothing`
}

/** Without a case: of a subject that was not flagged. */
export const reviewWriter: Writer<NewReview | ReviewRow> = { name: 'reviews', write: insertReviews }

export const flaggedReviewWriter: Writer<FlaggedReview> = {
  name: 'flagged_reviews',
  write: insertReviews,
}

const FACTS = factsToStore('d')

/**
 * A number or a position that another decision took in the meantime fails the statement, and the step
 * runs again. Positions grow within an organization, mode and subject. They do not fall behind the
 * sequence from which nodes of the previous version draw.
 */
export const decisionWriter: Writer<DecisionRow> = {
  name: 'review_decisions',
  write: (rows) => sql`
    insert into review_decisions (org_id, subject_id, number, mode, subject, decision, after_seq,
      decided_at, decided_by, note, source, position, amount_cents, currency, rules, shadow_rules)
    select ${DECISION_COLUMNS}, greatest(
      coalesce((select max(position) from review_decisions l where l.org_id = d.org_id
        and l.mode = d.mode and l.subject = d.subject), 0) + d.place, d.next), ${FACTS.columns}
    from (
      -- The next value is drawn here, in the order of the decisions, because the join may change the order.
      select *, row_number() over (partition by org_id, mode, subject order by index) as place,
        nextval(pg_get_serial_sequence('review_decisions', 'position')) as next
      from rows from (json_to_recordset(${JSON.stringify(rows)}::json) as (
        org_id uuid, subject_id uuid, number smallint, mode text, subject text, decision text,
        after_seq bigint, decided_at timestamptz, decided_by text, note text, source text)
      ) with ordinality as r (org_id, subject_id, number, mode, subject, decision, after_seq,
        decided_at, decided_by, note, source, index)
      order by index
    ) d ${FACTS.join}`,
}

export type ShownDecision = Pick<DecisionRow, 'decision' | 'decided_at' | 'decided_by' | 'note'>

export const shownDecision = (row: DecisionRow): ShownDecision => {
  const { decision, decided_at, decided_by, note } = row
  return { decision, decided_at, decided_by, note }
}

export type ReviewLabel = SubjectKey & ShownDecision

/** Closes all reviews of a subject with the same decision. */
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

/** Reads the reviews and decisions of subjects, oldest first. */
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
    const rowsAt = <Row extends { index: number }>(rows: readonly Row[], position: number) =>
      rows.filter(({ index }) => index === position).map(({ index: _index, ...row }) => row)
    return keys.map((_key, position) => ({
      reviews: rowsAt(reviews.rows, position + 1),
      decisions: rowsAt(decisions.rows, position + 1),
    }))
  },
}

/** A decision with the one that it replaced. */
export type LabelRow = DecisionRow & { position: number; previous: Label | undefined }

/** Reads decisions in the sequence in which the states learned them. */
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

/**
 * Finds a review. For the operator, who does not know its organization, this takes an index probe
 * per organization.
 */
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

/** Finds the review of the subject itself, not of an alert. */
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

/** Returns e-mail addresses of members by user id; the operator has none. */
export async function listPeople(
  directory: Db,
  orgId: string,
  ids: readonly (string | null)[],
): Promise<ReviewPeople> {
  const wanted = [...new Set(ids)].filter((id) => id !== null && isUuid(id))
  if (wanted.length === 0) return {}
  const { rows } = await sql<{ id: string; email: string }>`
    select u.id, u.email from memberships m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.user_id = any(${wanted}::uuid[])`.execute(directory)
  return Object.fromEntries(rows.map(({ id, email }) => [id, email]))
}

/**
 * Deletes a bounded number of old reviews with their decisions.
 * @returns the number of deleted reviews
 */
export async function sweepReviews(db: Db, before: Date): Promise<number> {
  const result = await sql`
    with old as materialized (
      select ctid, org_id, subject_id from reviews where created_at < ${before}
      limit ${sql.lit(SWEEP_ROWS_MAX)}
    ), gone as (
      delete from review_decisions where ctid = any(array(
        -- Lateral with an offset, so that no plan starts with a scan of the whole table.
        select d.ctid from old cross join lateral (
          select d.ctid from review_decisions d
          where d.org_id = old.org_id and d.subject_id = old.subject_id offset 0) d))
    ), unlinked as (
      delete from review_links where ctid = any(array(
        select l.ctid from old cross join lateral (
          select l.ctid from review_links l
          where l.org_id = old.org_id and l.subject_id = old.subject_id offset 0) l))
    )
    delete from reviews where ctid = any(array(select ctid from old))`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}

const SWEEP_ROWS_MAX = 5000
