/** Reads a line of a log: an object of JSON, as agents write it, or a text. */
import { parseExact } from '../../../../platform/exact-json.ts'
import { isObject } from '../../../../platform/is-object.ts'
import type { Budget, Value } from './values.ts'

const TEXT_OR_MARK = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/g

/** Counts the values and the depth before the line is parsed, because parsing takes time for each. */
export function readLine(line: string, budget: Budget): Value {
  if (!/^\s*\{/.test(line)) return line
  let depth = 0
  for (const [mark] of line.matchAll(TEXT_OR_MARK)) {
    if (mark === '{' || mark === '[') depth += 1
    else if (mark === '}' || mark === ']') depth -= 1
    if (mark === '{' || mark === '[' || mark === ',') budget.value(depth)
  }
  try {
    const value = parseExact(line)
    return isObject(value) ? (value as Value) : line
  } catch {
    return line
  }
}
