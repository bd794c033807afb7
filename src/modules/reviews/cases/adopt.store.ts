/**
 * Puts reviews without a case into cases: those that were open before there were cases, and those of nodes of
 * the previous version. They join by the same rule and in the sequence in which they were created.
 */
import { sql } from 'kysely'
import type { NewId } from '../../../platform/ids.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import type { ReviewSubjects } from '../service.ts'
import { causeOf } from './cause.ts'
import { type CaseFacts, JOINED_CASE } from './join.store.ts'
import { linksOf, linkWriter } from './joining.store.ts'

/** Reviews of one run for each organization. */
const PORTION_ROWS = 200

type Waiting = Owner & {
  id: string
  subject: 'order' | 'alert' | 'cashier_action'
  subject_id: string
  external_id: string
  created_at: Date
}

/** @returns the number of reviews that joined a case */
export async function adoptReviews(
  db: Database,
  { subjects, newId }: { subjects: ReviewSubjects; newId: NewId },
): Promise<number> {
  const { rows } = await sql<Waiting>`
    select r.* from organizations o cross join lateral (
      select org_id, id, mode, subject, subject_id, external_id, created_at from reviews
      where org_id = o.id and case_id is null and decision is null
      order by id limit ${PORTION_ROWS}) r
    order by r.org_id, r.id`.execute(db)
  let adopted = 0
  for (const review of rows) {
    const kind = review.subject === 'alert' ? 'order' : review.subject
    const facts = await subjects[kind].caseFacts(review.org_id, review.subject_id)
    if (await adopt(db, review, facts ?? unknownFacts(review), newId)) adopted += 1
  }
  return adopted
}

/** Retention has deleted the order or action. */
const unknownFacts = ({ external_id }: Waiting): CaseFacts => ({
  causes: [causeOf('order', external_id)],
  identities: {},
  amount_cents: null,
  currency: null,
  customer: null,
  country: null,
})

/** The amount counts once: with the first review of the order that has a case. */
async function adopt(
  db: Database,
  { org_id, mode, id, subject_id, created_at }: Waiting,
  { identities, ...facts }: CaseFacts,
  newId: NewId,
): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    const row = { org_id, mode, id, subject_id, created_at, ...facts, case_id: newId(created_at) }
    const { numAffectedRows } = await sql`
      update reviews v set case_id = r.joined, currency = r.currency, customer = r.customer,
        country = r.country, amount_cents = case when exists (
          select from reviews s where s.org_id = v.org_id and s.subject_id = v.subject_id
            and s.case_id is not null) then null else r.amount_cents end
      from (
        select r.*, ${JOINED_CASE} as joined
        from json_to_record(${JSON.stringify(row)}::json) as r (
          org_id uuid, mode text, id uuid, subject_id uuid, created_at timestamptz, causes text[],
          amount_cents bigint, currency text, customer text, country text, case_id uuid)
        where exists (select from reviews w where w.org_id = r.org_id and w.id = r.id
          and w.case_id is null and w.decision is null for no key update)
        offset 0
      ) r
      where v.org_id = r.org_id and v.id = r.id and v.case_id is null`.execute(tx)
    const links = linksOf(identities).map((link) => ({
      org_id,
      mode,
      subject_id,
      customer: facts.customer,
      ...link,
    }))
    if (links.length > 0) await linkWriter.write(links).execute(tx)
    return numAffectedRows === 1n
  })
}
