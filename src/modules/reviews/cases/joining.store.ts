/** The rows of a flagged order or cashier action: its reviews, which join a case, and its links. */
import { sql } from 'kysely'
import { type Row, rowFor, type Writer } from '../../../platform/postgres/rows.ts'
import { flaggedReviewWriter } from '../store.ts'
import type { ReviewTables } from '../tables.ts'
import type { CauseKind, Identities } from './cause.ts'
import type { CaseFacts, FlaggedReview } from './join.store.ts'

type LinkRow = ReviewTables['review_links']

export const linkWriter: Writer<LinkRow> = {
  name: 'review_links',
  write: (rows) => sql`
    insert into review_links (org_id, mode, kind, value, subject_id, customer)
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as l (
      org_id uuid, mode text, kind text, value text, subject_id uuid, customer text)
    on conflict do nothing`,
}

type Review = Omit<FlaggedReview, keyof CaseFacts | 'case_id'>

/**
 * @param reviews of one order or action; the first one counts its amount
 * @param newId creates ids of cases
 */
export function flaggedRows(
  reviews: readonly Review[],
  { identities, ...facts }: CaseFacts,
  newId: () => string,
): Row[] {
  const rows = reviews.map((review, index) =>
    rowFor(flaggedReviewWriter, {
      ...review,
      ...facts,
      amount_cents: index === 0 ? facts.amount_cents : null,
      case_id: newId(),
    }),
  )
  const [first] = reviews
  if (first === undefined) return rows
  const { org_id, mode, subject_id } = first
  for (const { kind, value } of linksOf(identities)) {
    const { customer } = facts
    rows.push(rowFor(linkWriter, { org_id, mode, kind, value, subject_id, customer }))
  }
  return rows
}

export const linksOf = (identities: Identities): { kind: CauseKind; value: string }[] =>
  (Object.entries(identities) as [CauseKind, string | undefined][]).flatMap(([kind, value]) =>
    value === undefined ? [] : [{ kind, value }],
  )
