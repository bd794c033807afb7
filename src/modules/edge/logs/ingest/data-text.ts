/** Writes `data` of the entries of a batch as JSON with exactly the numbers that were sent. */
import { createExactText, type ExactText } from '../../../../platform/exact-text.ts'

/** @param index position of the entry in its batch */
export type DataText = ExactText

/** @param body the valid body of which the entries were parsed */
export const createDataText = (body: Buffer): DataText =>
  createExactText(
    body,
    ({ logs }: { logs: readonly { data?: unknown }[] }, index) => logs[index]?.data,
  )
