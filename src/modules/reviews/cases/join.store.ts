/** How a review that is written joins a case. The database function `join_case` finds or opens it. */
import { sql } from 'kysely'
import type { ReviewRow } from '../review-row.ts'
import type { ReviewTables } from '../tables.ts'
import type { Identities } from './cause.ts'

/** Facts about an order or a cashier action that its case shows, and that decide which case it joins. */
export type CaseFacts = Pick<
  ReviewTables['reviews'],
  'amount_cents' | 'currency' | 'customer' | 'country'
> & {
  /** As `kind:value`, strongest first, at least one. */
  causes: readonly string[]
  identities: Identities
}

/** `case_id` is the id of the case that is opened when there is none to join. */
export type FlaggedReview = Omit<ReviewRow, 'decision' | 'decided_at' | 'decided_by' | 'note'> &
  Omit<CaseFacts, 'identities'> & { case_id: string }

/** Reviews of one customer, device or other cause belong together if they are at most this far apart. */
export const CASE_WINDOW_DAYS = 7

/** For rows `r` with the columns of a `FlaggedReview`. */
export const JOINED_CASE = sql`join_case(r.org_id, r.mode, r.case_id, r.created_at, r.causes,
  r.customer, r.country, r.currency, ${sql.lit(CASE_WINDOW_DAYS)})`
