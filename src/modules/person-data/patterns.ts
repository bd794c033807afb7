/**
 * Patterns that find a person's values in stored texts, in the part of the syntax that PostgreSQL and the
 * analytics engine share. Pure.
 */
import { literalPattern } from '../../platform/literal-pattern.ts'

export type Pattern = {
  /** A value in any of its spellings. */
  value: string
  /** Text in front of it and behind it, so that a longer value of another person does not match. */
  before: string
  after: string
  ignores_case: boolean
  /** A text that every match contains, which is found faster; undefined if spellings differ. */
  contained: string | undefined
}

/** What replaces a value in a text that is about something else. */
export const DELETED_TEXT = '[deleted]'
/** Shorter ids, and numbers outside of quotes, occur in texts that are about something else. */
const DISTINCT_MIN_CHARS = 6

/** Characters of JSON escapes, such as `\n`, are letters and would otherwise belong to the value. */
const BEFORE = String.raw`(^|[^\w.@+-]|\\[nrtbf])`
const AFTER = String.raw`(?:$|[^\w.@-]|\.(?:$|[^\w]))`
const QUOTED = { before: '(^|")', after: '(?:$|")' }

export const emailPattern = (spellings: string): Pattern => ({
  value: spellings,
  before: BEFORE,
  after: AFTER,
  ignores_case: true,
  contained: undefined,
})

/** @param phone in E.164 */
export const phonePattern = (phone: string): Pattern => ({
  value: String.raw`(?:\+|00)${phone.slice(1).split('').join(String.raw`[ ()./-]{0,2}`)}`,
  before: BEFORE,
  after: AFTER,
  ignores_case: false,
  contained: undefined,
})

/** @returns undefined for a text that is too short to be looked for in other texts */
export function textPattern(text: string): Pattern | undefined {
  if (text.length < DISTINCT_MIN_CHARS) return undefined
  const inJson = JSON.stringify(text).slice(1, -1)
  const forms = [...new Set([text, inJson])].map(literalPattern)
  const around = /\p{L}/u.test(text) ? { before: BEFORE, after: AFTER } : QUOTED
  const contained = forms.length === 1 ? text : undefined
  return { value: `(?:${forms.join('|')})`, ...around, ignores_case: false, contained }
}
