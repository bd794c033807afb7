/**
 * Writes parts of a request body as JSON with exactly the numbers that were sent: ids of orders, cards and traces
 * have 64 bits. The body is only parsed a second time where a number needs it.
 */
import { hasLongNumber, losesNumber, parseExact, stringifyExact } from './exact-json.ts'

export type ExactText = (value: object, index: number) => string

/**
 * @param body the valid body of which the values were parsed
 * @param find returns the value with an index in the parsed body
 */
export function createExactText<Body>(
  body: Buffer,
  find: (parsed: Body, index: number) => unknown,
): ExactText {
  const isSuspect = hasLongNumber(body)
  let exact: Body | undefined
  return (value, index) => {
    if (!isSuspect && !losesNumber(value)) return JSON.stringify(value)
    exact ??= parseExact(body.toString('utf8')) as Body
    return stringifyExact(find(exact, index))
  }
}
