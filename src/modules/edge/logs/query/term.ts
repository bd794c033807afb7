/** Reads one term of a log query: words of the message, or `field:value`. */
import { LEVELS, type Level } from '../level.ts'
import { withParticles } from './korean.ts'
import { nearestName } from './spelling.ts'
import { timeCondition } from './time.ts'
import {
  COMPARISONS,
  type Condition,
  LONG_FIELDS,
  type LongField,
  lowered,
  TEXT_FIELDS,
  type Text,
  type TextField,
  type WordPart,
} from './tree.ts'
import { type Fold, foldingsOf, placedWords } from './words.ts'

const FIELDS: Readonly<Record<string, TextField>> = {
  ...(Object.fromEntries(TEXT_FIELDS.map((name) => [name, name])) as Record<TextField, TextField>),
  device: 'device_id',
  trace: 'trace_id',
  tag: 'tags',
}
const LONG: Readonly<Record<string, LongField>> = {
  ...(Object.fromEntries(LONG_FIELDS.map((name) => [name, name])) as Record<LongField, LongField>),
  stack: 'error_stack',
}
const DATA = 'data.'
const PLAIN_NAMES = ['level', 'time', ...[FIELDS, LONG].flatMap(Object.keys)]
const NAMES = `${PLAIN_NAMES.join(', ')}, data.<name>, has`
/** Longer texts before a colon are no misspelled names. */
const NAME_MAX_CHARS = 32

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i
const FIELD = /^(data\.[^\s:"]+|[a-z_]+):/
/** `status:500` may have been meant as a field; a URL, a time, a path or a place in code was not. */
const MAYBE_FIELD = /^[a-z_]{2,}(?=:[^/\\:])/i

/** @returns undefined if the text has no word */
export function textCondition(text: string, isPhrase: boolean): Condition | undefined {
  const [first, ...others] = foldingsOf(text).map((fold) => textOf(text, fold, isPhrase))
  if (first === undefined || (first.words.length === 0 && first.parts.length === 0)) {
    return undefined
  }
  return { kind: 'text', texts: [first, ...others] }
}

/** `*` before the first word or after the last one makes it a part of a word. */
function textOf(text: string, fold: Fold, isPhrase: boolean): Text {
  const { text: normal, words: placed } = placedWords(text, fold)
  if (isPhrase) {
    const words = placed.map(({ word }) => word)
    // A Korean word in quotes is searched without its particles.
    const isPhraseOf = words.length > 1 || words.some((word) => withParticles(word).length > 0)
    return { words: [...new Set(words)], phrases: isPhraseOf ? [words] : [], parts: [] }
  }
  const words = new Set<string>()
  const parts: WordPart[] = []
  const runs: string[][] = []
  let runEnd = -1
  for (const { word, start, end, isUnspaced } of placed) {
    const isOpenBefore = start === 1 && normal.startsWith('*')
    const isOpenAfter = end === normal.length - 1 && normal.endsWith('*')
    if (!isUnspaced && (isOpenBefore || isOpenAfter)) {
      const at = !isOpenAfter ? 'end' : isOpenBefore ? 'anywhere' : 'start'
      parts.push({ at, text: word })
      continue
    }
    words.add(word)
    if (!isUnspaced) continue
    // `日本語` is searched as a phrase of its characters, as if it were in quotes.
    if (start === runEnd) runs.at(-1)?.push(word)
    else runs.push([word])
    runEnd = end
  }
  return { words: [...words], phrases: runs.filter(({ length }) => length > 1), parts }
}

/** The column of a field that is compared as a text, by the name that a query has for it. */
export const textFieldOf = (name: string): TextField | undefined =>
  Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined

/** The name and the value of `name:value`, if there is a field of this name. */
export function fieldOf(chunk: string): { name: string; value: string } | undefined {
  const name = FIELD.exec(chunk)?.[1]
  if (name === undefined || !isField(name)) return undefined
  return { name, value: chunk.slice(name.length + 1) }
}

const isField = (name: string): boolean =>
  name === 'level' ||
  name === 'time' ||
  name === 'has' ||
  Object.hasOwn(FIELDS, name) ||
  Object.hasOwn(LONG, name) ||
  (name.startsWith(DATA) && name.length > DATA.length)

/** Why a chunk that looks like a field is not one. */
export function unknownFieldNote(chunk: string): string | undefined {
  const [name] = MAYBE_FIELD.exec(chunk) ?? []
  if (name === undefined) return undefined
  const meant = name.length > NAME_MAX_CHARS ? undefined : nearestName(name, PLAIN_NAMES)
  const advice = meant === undefined ? `the fields are ${NAMES}` : `did you mean ${meant}?`
  return `${name} is not a field, so this was read as words; ${advice}`
}

/** @returns a text that says what is wrong with the value */
export function fieldCondition(
  name: string,
  value: string,
  isQuoted: boolean,
): Condition | { problem: string } {
  if (name === 'level') return levelCondition(value)
  if (name === 'time') return timeCondition(value)
  if (name === 'has') return hasCondition(value)
  const field = FIELDS[name]
  if (field !== undefined) return { kind: 'value', field, glob: globOf(value, isQuoted) }
  const long = LONG[name]
  if (long !== undefined) return partCondition(long, value, isQuoted)
  const path = name.slice(DATA.length)
  const comparison = isQuoted ? undefined : COMPARISONS.find((sign) => value.startsWith(sign))
  if (comparison !== undefined) {
    const number = numberOf(value.slice(comparison.length))
    if (number === undefined) return { problem: `${comparison} needs a number` }
    return { kind: 'data-compared', path, comparison, number }
  }
  return { kind: 'data', path, glob: globOf(value, isQuoted), literal: literalOf(value, isQuoted) }
}

/** `error`, `error,fatal` or `>=warn`. */
function levelCondition(value: string): Condition | { problem: string } {
  const sign = COMPARISONS.find((each) => value.startsWith(each))
  const names = lowered(value.slice(sign?.length ?? 0))
    .split(',')
    .filter((name) => name !== '')
  const levels = names.filter((name): name is Level => LEVELS.includes(name as Level))
  const [first] = levels
  if (first === undefined || levels.length < names.length || (sign && levels.length > 1)) {
    return { problem: `level must be one or more of ${LEVELS.join(', ')}` }
  }
  if (sign === undefined) return { kind: 'level', levels: [...new Set(levels)] }
  const bound = LEVELS.indexOf(first)
  const isWanted = (at: number) =>
    (sign.includes('=') && at === bound) || (sign.startsWith('>') ? at > bound : at < bound)
  return { kind: 'level', levels: LEVELS.filter((_, at) => isWanted(at)) }
}

function partCondition(
  field: LongField,
  value: string,
  isQuoted: boolean,
): Condition | { problem: string } {
  const pieces = globOf(value, isQuoted).filter((piece) => piece !== '')
  // `data:{"a":1}` is pasted text.
  if (!/[\p{L}\p{N}]/u.test(value)) return { problem: `${field} needs a text` }
  return { kind: 'part', field, glob: ['', ...pieces, ''] }
}

function hasCondition(name: string): Condition | { problem: string } {
  if (name.startsWith(DATA) && name.length > DATA.length) {
    return { kind: 'data-has', path: name.slice(DATA.length) }
  }
  const known = { ...FIELDS, ...LONG }
  const field = Object.hasOwn(known, name) ? known[name] : undefined
  if (field !== undefined) return { kind: 'has', field }
  return { problem: 'has: needs a field' }
}

const globOf = (value: string, isQuoted: boolean): string[] =>
  isQuoted ? [lowered(value)] : lowered(value).split(/\*+/)

function literalOf(value: string, isQuoted: boolean): number | boolean | undefined {
  if (isQuoted) return undefined
  if (/^(?:true|false)$/i.test(value)) return lowered(value) === 'true'
  return numberOf(value)
}

function numberOf(text: string): number | undefined {
  const number = NUMBER.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}
