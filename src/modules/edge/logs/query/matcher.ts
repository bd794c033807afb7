/**
 * A log query as a predicate for entries that have not reached the engine. It must select the same
 * entries as the SQL.
 */
import { isObject } from '../../../../platform/is-object.ts'
import type { StoredLog } from '../reading/record.ts'
import { withParticles } from './korean.ts'
import { boundsOf } from './time.ts'
import {
  type Comparison,
  type Condition,
  type DataPath,
  dataKeys,
  type Glob,
  type LongField,
  longDigits,
  lowered,
  type Node,
  type Text,
  type TextField,
} from './tree.ts'
import { wordsOf } from './words.ts'

export type QueriedEntry = Pick<
  StoredLog,
  'level' | 'message' | 'timestamp_ms' | 'received_at_ms' | LongField | TextField
>

/** An entry with what several conditions need of it. */
type Facts = { entry: QueriedEntry; words: readonly string[]; known: ReadonlySet<string> }
type Test = (facts: Facts) => boolean

export function matcherOf(node: Node): (entry: QueriedEntry) => boolean {
  const test = testOf(node)
  return (entry) => {
    const words = wordsOf(entry.message)
    return test({ entry, words, known: new Set(words) })
  }
}

function testOf(node: Node): Test {
  if (node.kind === 'not') {
    const test = testOf(node.node)
    return (facts) => !test(facts)
  }
  if (node.kind === 'and' || node.kind === 'or') {
    const tests = node.nodes.map(testOf)
    return node.kind === 'and'
      ? (facts) => tests.every((test) => test(facts))
      : (facts) => tests.some((test) => test(facts))
  }
  return conditionTest(node)
}

function conditionTest(condition: Condition): Test {
  switch (condition.kind) {
    case 'text':
      return textTest(condition.texts[0])
    case 'level':
      return ({ entry }) => condition.levels.includes(entry.level)
    case 'value': {
      const { field, glob } = condition
      return ({ entry }) => {
        const value = entry[field]
        return typeof value === 'string'
          ? matchesGlob(value, glob)
          : value.some((each) => matchesGlob(each, glob))
      }
    }
    case 'part':
      return ({ entry }) => matchesGlob(entry[condition.field], condition.glob)
    case 'has':
      return ({ entry }) => entry[condition.field].length > 0
    case 'data':
    case 'data-compared':
    case 'data-has':
      return ({ entry }) =>
        valuesAt(entry.data, condition.path).some((value) =>
          matchesData(value, condition, entry.data),
        )
    case 'time':
      // A viewer watches for hours, so now is when the entry arrives.
      return ({ entry }) => {
        const { from_ms, until_ms } = boundsOf(condition, entry.received_at_ms)
        const { timestamp_ms } = entry
        return timestamp_ms >= (from_ms ?? -Infinity) && timestamp_ms <= (until_ms ?? Infinity)
      }
  }
}

function textTest({ words, phrases, parts }: Text): Test {
  const forms = words.map((word) => [word, ...withParticles(word)])
  return ({ words: found, known }) =>
    forms.every((each) => each.some((form) => known.has(form))) &&
    phrases.every((phrase) => holdsPhrase(found, phrase)) &&
    parts.every(({ at, text }) => found.some((word) => PART_TESTS[at](word, text)))
}

const PART_TESTS = {
  start: (word: string, text: string) => word.startsWith(text),
  end: (word: string, text: string) => word.endsWith(text),
  anywhere: (word: string, text: string) => word.includes(text),
}

function holdsPhrase(words: readonly string[], phrase: readonly string[]): boolean {
  const last = words.length - phrase.length
  for (let start = 0; start <= last; start += 1) {
    if (phrase.every((word, offset) => words[start + offset] === word)) return true
  }
  return false
}

/** Finds each piece behind the one before, which is enough when only `*` can be between them. */
function matchesGlob(value: string, glob: Glob): boolean {
  const text = lowered(value)
  const [first = '', ...others] = glob
  const last = others.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first) || text.length < first.length + last.length) return false
  let at = first.length
  for (const piece of others) {
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at <= text.length - last.length && text.endsWith(last)
}

function valuesAt(data: string, path: DataPath): unknown[] {
  if (data === '' || !isReadable(data)) return []
  let parsed: unknown
  try {
    parsed = JSON.parse(data)
  } catch {
    return []
  }
  return dataKeys(path).map((keys) =>
    keys.reduce(
      (value: unknown, key) =>
        isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined,
      parsed,
    ),
  )
}

/**
 * The engine cannot parse data with an integer beyond 64 bits or a number beyond a double. To remove
 * such numbers from the text first would cost every query of data more than these entries are worth.
 */
const isReadable = (data: string): boolean =>
  !MAY_BE_UNREADABLE.test(data) ||
  (data.match(TEXT_OR_NUMBER) ?? []).every((token) => {
    if (token.startsWith('"')) return true
    if (!/^-?\d+$/.test(token)) return Number.isFinite(Number(token))
    const integer = BigInt(token)
    return integer >= INTEGER_MIN && integer <= INTEGER_MAX
  })

const MAY_BE_UNREADABLE = /\d{19}|\d[eE]\+?\d{3}/
/** In valid JSON. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g
const INTEGER_MIN = -(2n ** 63n)
const INTEGER_MAX = 2n ** 64n - 1n

function matchesData(
  value: unknown,
  condition: Extract<Condition, { path: DataPath }>,
  data: string,
): boolean {
  if (condition.kind === 'data-has') return value !== undefined && value !== null
  if (condition.kind === 'data-compared') {
    return typeof value === 'number' && COMPARED[condition.comparison](value, condition.number)
  }
  const { glob, literal } = condition
  if (typeof value === 'string') return matchesGlob(value, glob)
  if (value !== literal || value === undefined) return false
  const digits = typeof literal === 'number' ? longDigits(glob) : undefined
  return digits === undefined || data.includes(digits)
}

const COMPARED: Readonly<Record<Comparison, (a: number, b: number) => boolean>> = {
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
}
