/**
 * Parses JSON so that `JSON.stringify` returns the numbers with the digits that they had: `data` of a log
 * can contain integers beyond 2^53, which `JSON.parse` alone would change on their way to the screen and
 * into downloads. Such a number becomes an object that only `JSON.stringify` understands; in browsers
 * without `JSON.rawJSON` it remains a rounded number.
 */
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown
type RawJson = { parse(text: string, reviver: Reviver): unknown; rawJSON?(text: string): unknown }

/** @throws SyntaxError */
export function parseExact(text: string): unknown {
  const json = JSON as RawJson
  return json.parse(text, (_key, value, context) => {
    const source = context?.source
    const isChanged = typeof value === 'number' && source !== undefined && String(value) !== source
    return isChanged && json.rawJSON ? json.rawJSON(source) : value
  })
}
