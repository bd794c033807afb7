/** Reads labels in the notation of Prometheus: `{job="payment", host="till-12"}`. */
import { invalidRequest } from '../../../../platform/http/errors.ts'
import { type Budget, type Value, type Values, valuesOf } from './values.ts'

const PAIR = /\s*([A-Za-z_][\w.:-]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(,|\}\s*$)/sy
const EMPTY = /^\s*\{?\s*\}?\s*$/
const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|(.))/gs
const NAMED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }
const CODE_POINT_MAX = 0x10_ffff

/** @throws AppError 400 that names the labels */
export function readLabels(text: string, budget: Budget): Values {
  if (EMPTY.test(text)) return {}
  const pairs: [string, Value][] = []
  PAIR.lastIndex = text.indexOf('{') + 1
  for (;;) {
    const [, name, value = '', end] = PAIR.exec(text) ?? []
    if (name === undefined) throw invalidRequest('labels', 'labels must be like {host="till-12"}')
    budget.value(1)
    pairs.push([name, value.replace(ESCAPE, unescaped).toWellFormed()])
    if (end !== ',') return valuesOf(pairs)
    if (EMPTY.test(text.slice(PAIR.lastIndex))) return valuesOf(pairs)
  }
}

function unescaped(_all: string, ...parts: (string | undefined)[]): string {
  const [hex, short, long, octal, char = ''] = parts
  const digits = hex ?? short ?? long
  if (digits === undefined && octal === undefined) return NAMED[char] ?? char
  const code = digits === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(digits, 16)
  return code > CODE_POINT_MAX ? '\u{fffd}' : String.fromCodePoint(code)
}
