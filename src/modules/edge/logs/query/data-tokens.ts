/** The words and parts that data must contain to meet a condition, by which the engine reads and parses less. */
import type { Condition, DataPath } from './tree.ts'

const TOKENS_MAX = 4
/** Written in JSON as it is: without quotes, backslashes and characters beyond ASCII. */
const PLAIN = /^[ !#-[\]-~]*$/
/** Numbers beyond this, and fractions, can be written in several ways. */
const INTEGER = /^-?(?:0|[1-9]\d{0,14})$/

/** Sequences of letters and digits, which quotes or signs separate from others in the text of the data. */
export function dataTokens(
  condition: Extract<Condition, { path: DataPath }>,
  keys: readonly string[],
): string[] {
  const texts = [...valuesOf(condition), ...keys].filter((text) => PLAIN.test(text))
  const tokens = texts.flatMap((text) => text.toLowerCase().match(/[a-z0-9]+/g) ?? [])
  return [...new Set(tokens)].slice(0, TOKENS_MAX)
}

/**
 * A part of the text of the data if the condition holds for a text with `*`: the longest piece of its value,
 * with the quote next to it. The engine finds it several times as fast as it parses the data.
 */
export function dataPart(condition: Extract<Condition, { path: DataPath }>): string | undefined {
  if (condition.kind !== 'data' || condition.glob.length < 2) return undefined
  const { glob } = condition
  const parts = glob.flatMap((piece, at) => {
    if (piece === '' || !PLAIN.test(piece)) return []
    return [`${at === 0 ? '"' : ''}${piece}${at === glob.length - 1 ? '"' : ''}`]
  })
  return parts.toSorted((a, b) => b.length - a.length)[0]
}

function valuesOf(condition: Extract<Condition, { path: DataPath }>): string[] {
  if (condition.kind !== 'data' || condition.glob.length > 1) return []
  const value = condition.glob.join('')
  return typeof condition.literal === 'number' && !INTEGER.test(value) ? [] : [value]
}
