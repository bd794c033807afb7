/** The batch that the intake accepts, and the month in which it counts. */
import type { Row } from '../../platform/postgres/rows.ts'
import type { RowShape } from '../../platform/spool/index.ts'
import { type MonthKey, monthOf, type Payer } from '../billing/index.ts'
import type { RefusedElement } from './examine.ts'

export type IntakeBatch = Payer & {
  target: string
  /** Some of its errors have no group yet. */
  is_ungrouped?: boolean
  /** Hash of target and body (`bodyHash`). */
  body_hash: Buffer
  /** Number of entries sent. */
  received: number
  /** Number of valid entries, at least one. */
  processed: number
  message: string
  /** The rejected entries that the response lists. */
  errors: readonly RefusedElement[]
  /** The valid entries as rows for the target. */
  payload: Buffer
  /** Of binary rows; absent for lines of JSON, each ending with a line feed. */
  shape?: RowShape
  meter: string
  /** Price in units of the entries with the numbers (before, after] in the month. */
  price: (before: number, after: number) => number
  /** Time of receipt, which determines the month. */
  occurred_at: Date
  /** Rows of other tables that are written in the same transaction. */
  rows: readonly Row[]
}

export const monthKeyOf = ({ org_id, mode, meter, occurred_at }: IntakeBatch): MonthKey => ({
  org_id,
  mode,
  meter,
  month: monthOf(occurred_at),
})
