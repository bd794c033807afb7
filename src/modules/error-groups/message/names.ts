/**
 * Finds data by its context: bare names of people and hosts, units after numbers, quoted values. The
 * cue words are general English; none of them comes from the messages of a product.
 */
import { words } from '../words.ts'
import type { Token } from './token.ts'

/** Turns words into data, and data into words, in place. */
export function markNames(tokens: Token[]): void {
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]
    if (token === undefined || token.kind === 'space' || token.kind === 'mark') continue
    if (token.kind === 'data') markUnit(tokens, index)
    else if (isQuotedName(tokens, index)) token.kind = 'data'
    else if (token.text.length <= 9) markAfterCue(tokens, index, token.text.toLowerCase())
  }
  keepStatus(tokens)
}

const UNITS = words(
  `b kb mb gb tb pb kib mib gib tib kbit mbit gbit bps kbps mbps gbps am pm utc gmt est edt cst cdt
  pst pdt cet cest bst ns us µs μs ms s sec secs m min mins h hr hrs d px pt % € $ £ hz khz mhz
  ghz`,
)

/** A number and its unit are one value: `12 KB`, `3 ms`, `17:44 GMT`. */
function markUnit(tokens: Token[], index: number): void {
  const unit = tokens[index + 2]
  if (tokens[index + 1]?.kind !== 'space' || unit?.kind !== 'word' || unit.text.length > 4) return
  if (UNITS.has(unit.text.toLowerCase())) unit.kind = 'data'
}

/** Removes the repetition in `65536 bytes (64 KB)`, which many programs omit for small sizes. */
export function withoutRepeatedSizes(tokens: Token[]): Token[] {
  let until = -1
  return tokens.filter((token, index) => {
    if (index <= until) return false
    if (isRepeatedSize(tokens, token, index)) until = index + 6
    return true
  })
}

function isRepeatedSize(tokens: readonly Token[], token: Token, index: number): boolean {
  if (token.text !== 'bytes' || tokens[index + 2]?.text !== '(') return false
  const [number, unit, close] = [tokens[index + 3], tokens[index + 5], tokens[index + 6]]
  return number?.kind === 'data' && unit?.kind === 'data' && close?.text === ')'
}

/**
 * Replaces the name of an instance by data: `LOCAL(0)` stands where other messages have an address.
 * Types of columns have the same form.
 */
export function withInstances(tokens: readonly Token[]): Token[] {
  const result: Token[] = []
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]
    if (token === undefined) continue
    const isInstance = isInstanceAt(tokens, index)
    result.push(isInstance ? { kind: 'data', text: token.text } : token)
    if (isInstance) index += 3
  }
  return result
}

function isInstanceAt(tokens: readonly Token[], index: number): boolean {
  const [token, open, number, close] = tokens.slice(index, index + 4)
  if (token?.kind !== 'word' || open?.text !== '(' || close?.text !== ')') return false
  if (number?.kind !== 'data' || !/^\d{1,3}$/.test(number.text)) return false
  const before = tokens[index - 2]
  const isTarget = before?.kind === 'word' && TARGETS.has(before.text.toLowerCase())
  return isTarget && /^[A-Z][A-Z_]+$/.test(token.text) && !COLUMN_TYPES.has(token.text)
}

const TARGETS = words('to from by via with peer source server')
const COLUMN_TYPES = words(
  `CHAR VARCHAR NCHAR NVARCHAR CHARACTER BINARY VARBINARY DECIMAL NUMERIC NUMBER FLOAT BIT INT
  INTEGER BIGINT TIME TIMESTAMP DATETIME`,
)

/**
 * Whether a quoted word is the name of a thing in the data, such as `"Milk"` or `'A'`: it is capitalized,
 * and the word before it does not say that it names a part of the program.
 */
function isQuotedName(tokens: readonly Token[], index: number): boolean {
  const [open, token, close] = [tokens[index - 1], tokens[index], tokens[index + 1]]
  if (token === undefined || open?.kind !== 'mark' || !isQuote(open.text)) return false
  if (close?.kind !== 'mark' || close.text !== open.text) return false
  const before = tokens[index - 2]?.kind === 'space' ? tokens[index - 3] : undefined
  if (before?.kind !== 'word' || CODE_NOUNS.has(before.text.toLowerCase())) return false
  return /^\p{Lu}\p{Ll}*$/u.test(token.text)
}

const CODE_NOUNS = words(
  `class type interface enum trait struct protocol module package namespace library plugin extension
  function method constructor procedure trigger property field member attribute column table view
  index key constraint relation schema database constant variable parameter argument option flag
  setting header element tag node component widget route screen page event state status stage error
  exception fault code symbol identifier operator token keyword command action reading calling
  named called undefined undeclared unknown unexpected expected import export`,
)

const WHO = new Set(['user', 'username', 'host', 'hostname'])
const VALUES = new Set(['value', 'entry', 'input', 'string'])

function markAfterCue(tokens: Token[], index: number, cue: string): void {
  if (WHO.has(cue)) {
    const name = wordAfter(tokens, index)
    const token = tokens[name]
    if (token !== undefined && isName(token.text) && standsAsName(tokens, index, name)) {
      token.kind = 'data'
    }
    markQuoted(tokens, index)
  } else if (VALUES.has(cue)) markQuoted(tokens, index)
  else if (cue === 'for') markBeforeOrigin(tokens, index)
  else if (MONTHS.has(cue)) markDate(tokens, index)
}

/** Returns the index of the word after one space, or -1. */
function wordAfter(tokens: readonly Token[], index: number): number {
  return tokens[index + 1]?.kind === 'space' && tokens[index + 2]?.kind === 'word' ? index + 2 : -1
}

/** Words after `user` that are grammar, or that name a thing instead of a person. */
const NOT_NAMES = words(
  `is was are has had have does did do not no cannot can could will would should may must and or
  but who which that from by at on in for to via with of as the a an already found exists unknown
  missing invalid error name id agent input data session request profile token account group role
  address record list info details settings preferences cache table permission permissions
  interface password key machine system mode space`,
)

function isName(text: string): boolean {
  const lower = text.toLowerCase()
  return !(lower.length > 4 && lower.endsWith('ed')) && !NOT_NAMES.has(lower)
}

const BEFORE_WHO = words('for invalid unknown by as of from to with on illegal')
const AFTER_NAME = words('from by at on via')

/** Accepts `user bob from …`, and `for user bob` before the end or a mark, but not `User deleted`. */
function standsAsName(tokens: readonly Token[], cue: number, name: number): boolean {
  const next = tokens[name + 1]
  const after = tokens[name + 2]
  if (next?.kind === 'space' && after?.kind === 'word')
    return AFTER_NAME.has(after.text.toLowerCase())
  const before = tokens[cue - 2]
  return before?.kind === 'word' && BEFORE_WHO.has(before.text.toLowerCase())
}

const MONTHS = words(
  `jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july
  august september october november december`,
)
const DAYS = words(
  `mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday`,
)

/** Marks a month next to a number, and the day of the week before it: `Sat Jul 9`, `9 July`. */
function markDate(tokens: readonly Token[], index: number): void {
  const month = tokens[index]
  if (month === undefined || month.text === month.text.toLowerCase()) return
  if (tokens[index + 2]?.kind !== 'data' && tokens[index - 2]?.kind !== 'data') return
  month.kind = 'data'
  for (const back of [2, 3, 4, 5]) {
    const day = tokens[index - back]
    if (day?.kind === 'word' && DAYS.has(day.text.toLowerCase())) day.kind = 'data'
  }
}

const ORIGINS = new Set(['from', 'at', 'on', 'port', 'via'])

/** Marks the name in `for alice from <*>` and `for alice [tag]`. */
function markBeforeOrigin(tokens: Token[], index: number): void {
  const name = wordAfter(tokens, index)
  const token = tokens[name]
  if (token === undefined || tokens[name + 1]?.kind !== 'space') return
  const after = tokens[name + 2]
  const isTagged = after?.text === '[' && tokens[name + 3]?.kind === 'word'
  const hasOrigin =
    after?.kind === 'word' &&
    ORIGINS.has(after.text.toLowerCase()) &&
    tokens[name + 4]?.kind === 'data'
  if (isTagged || hasOrigin) token.kind = 'data'
}

/** Marks the quoted word after a cue, as in `value "abc"`. */
function markQuoted(tokens: Token[], index: number): void {
  const space = tokens[index + 1]
  const at = space?.kind === 'space' ? index + 2 : space?.text === ':' ? index + 3 : -1
  const open = tokens[at]
  const word = tokens[at + 1]
  if (open?.kind !== 'mark' || !isQuote(open.text) || word?.kind !== 'word') return
  if (tokens[at + 2]?.kind === 'mark' && tokens[at + 2]?.text === open.text) word.kind = 'data'
}

const isQuote = (text: string): boolean => text === '"' || text === "'" || text === '`'

/**
 * Keeps numbers that identify the error: `status code 404`, `HTTP 503`, `error #418`, `SKErrorDomain
 * error 2`. A status below 400 is a detail.
 */
function keepStatus(tokens: Token[]): void {
  for (let index = 2; index < tokens.length; index += 1) {
    const token = tokens[index]
    if (token?.kind !== 'data' || token.text.length > 5) continue
    if (isDomainCode(tokens, index)) token.kind = 'word'
    if (tokens[index - 1]?.kind !== 'space') continue
    const cue = tokens[index - 2]?.text.toLowerCase()
    if (cue === 'code' && tokens[index - 4]?.text.toLowerCase() === 'status') keepFailure(token)
    else if (cue === 'http') keepFailure(token)
    else if (cue === 'error' && token.text.startsWith('#')) token.kind = 'word'
  }
}

/** Apple's notations `NSURLErrorDomain error -1009` and `Domain=NSURLErrorDomain Code=-1009`. */
function isDomainCode(tokens: readonly Token[], index: number): boolean {
  const cue = tokens[index - 2]?.text
  if (cue !== 'error' && cue !== 'Code') return false
  return tokens[index - 4]?.text.endsWith('ErrorDomain') === true
}

function keepFailure(token: Token): void {
  const status = Number(token.text)
  if (status >= 400 && status < 600) token.kind = 'word'
}
