import { type Static, Type } from 'typebox'

const rows = Type.Unsafe<Record<string, number>>({
  type: 'object',
  additionalProperties: { type: 'integer' },
})

export const personReport = Type.Object({
  /** Rows that were deleted, by table; those that would be in a dry run. */
  deleted: rows,
  /** Rows in which the values were replaced by `[deleted]`. */
  cleared: rows,
  /** Rows that name the person and stay: the books, and what members have set up. */
  retained: rows,
  /** Batches of logs that wait for the analytics engine and were not searched. */
  waiting_batches: Type.Integer(),
  /** Values that are too short to be looked for in texts. */
  not_searched: Type.Array(Type.String()),
  /** Name of the step to continue with; null when all is done. */
  next_step: Type.Union([Type.String(), Type.Null()]),
})
export type PersonReport = Static<typeof personReport>
