import type { ReviewTables } from './tables.ts'

/** The columns of a review without those of its case. */
export type ReviewRow = Omit<
  ReviewTables['reviews'],
  'case_id' | 'amount_cents' | 'currency' | 'customer' | 'country'
>
