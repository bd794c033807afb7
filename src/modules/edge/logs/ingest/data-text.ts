/**
 * Writes `data` of the entries of a batch as JSON with exactly the numbers that were sent: logs contain
 * order, card and trace ids of 64 bits. The body is only parsed a second time where a number needs it.
 */
import {
  hasLongNumber,
  losesNumber,
  parseExact,
  stringifyExact,
} from '../../../../platform/exact-json.ts'

/** @param index position of the entry in its batch */
export type DataText = (data: object, index: number) => string

/** @param body the valid body of which the entries were parsed */
export function createDataText(body: Buffer): DataText {
  const isSuspect = hasLongNumber(body)
  let exact: { logs: readonly { data?: unknown }[] } | undefined
  return (data, index) => {
    if (!isSuspect && !losesNumber(data)) return JSON.stringify(data)
    exact ??= parseExact(body.toString('utf8')) as NonNullable<typeof exact>
    return stringifyExact(exact.logs[index]?.data)
  }
}
