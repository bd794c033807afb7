/** Reads values after `=`, after the key of a JSON object, and in quotes. */
import { BACKSLASH, COLON, characterClass, EQUALS, isLetter, QUOTE, SPACE } from './characters.ts'
import { data, mark, type Token } from './token.ts'
import { isVariableWord } from './variable-word.ts'

/** Maximum distance between two quotes, which keeps the scan linear. */
const QUOTED_MAX = 512

/** Reads `key=value`: the value is data unless the key names the error itself. */
export function readEquals(text: string, at: number, tokens: Token[]): number {
  tokens.push(mark('='))
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at + 1)
  if (COMPARISONS.has(before) || after === EQUALS || after === 62 || after === 126) return at + 1
  const key = tokens.at(-2)?.kind === 'space' ? tokens.at(-3) : tokens.at(-2)
  if (key?.kind === 'word' && namesError(key.text)) return at + 1
  const start = skipSpaces(text, at + 1)
  const end = endOfValue(text, start)
  if (start > at + 1 && (end === start || text.slice(start, end).includes('='))) {
    tokens.push(data(''))
    return at + 1
  }
  if (key?.kind === 'word' && start === at + 1 && key.text.includes('.')) key.kind = 'data'
  tokens.push(data(text.slice(start, end)))
  return end
}

/** Characters before `=` that make it a comparison: `= ! < > : ~ + -`. */
const COMPARISONS = new Set([61, 33, 60, 62, 58, 126, 43, 45])

const ERROR_KEYS = ['error', 'err', 'msg', 'message', 'reason', 'cause', 'exception', 'code']

function namesError(key: string): boolean {
  const lower = key.toLowerCase()
  return lower === 'domain' || ERROR_KEYS.some((word) => lower.endsWith(word))
}

function skipSpaces(text: string, from: number): number {
  let index = from
  while (index < text.length && characterClass(text.charCodeAt(index)) === SPACE) index += 1
  return index
}

/** A value ends at white space, a comma, or the bracket around its key. */
function endOfValue(text: string, from: number): number {
  if (characterClass(text.charCodeAt(from)) === QUOTE) {
    const end = endOfQuoted(text, from)
    if (end > 0) return end + 1
  }
  let depth = 0
  let index = from
  for (; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === 40 || code === 91 || code === 123) depth += 1
    else if (code === 41 || code === 93 || code === 125) depth -= 1
    if (depth < 0 || characterClass(code) === SPACE) break
    if (depth === 0 && (code === 44 || code === 59)) break
  }
  return index
}

/** Returns the index of the second quote, or -1. An apostrophe after a letter is not a quote. */
export function endOfQuoted(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code === 39 && at > 0 && isLetter(text, at - 1)) return -1
  const limit = Math.min(text.length, at + QUOTED_MAX)
  const isEscaped = text.charCodeAt(at - 1) === BACKSLASH
  for (let index = at + 1; index < limit; index += 1) {
    if (text.charCodeAt(index) !== code || (code === 39 && isLetter(text, index + 1))) continue
    if ((text.charCodeAt(index - 1) === BACKSLASH) === isEscaped) return index
  }
  return -1
}

/**
 * Reads quotes: text of several words within a sentence is data, and so is the value of a JSON key.
 * @returns the index after the quote, or -1 when the quotes are ordinary marks
 */
export function readQuoted(text: string, at: number, end: number, tokens: Token[]): number {
  const content = text.slice(at + 1, end)
  const quote = text.charAt(at)
  const colon = skipSpaces(text, end + 1)
  if (quote === '"' && text.charCodeAt(colon) === COLON) {
    const kind = isVariableWord(content) ? 'data' : 'word'
    tokens.push(mark(quote), { kind, text: content }, mark('":'))
    if (namesError(content)) return colon + 1
    const start = skipSpaces(text, colon + 1)
    const isNested = text.charAt(start) === '{' || text.charAt(start) === '['
    if (isNested || start >= text.length) return start
    const valueEnd = endOfValue(text, start)
    tokens.push(data(text.slice(start, valueEnd)))
    return valueEnd
  }
  if (isMember(tokens)) {
    tokens.push(data(content))
    return end + 1
  }
  if (!content.includes(' ') || isCommand(content)) return -1
  // After a mark or at the beginning, it is the message: `kubelet.go:906] "Error syncing pod"`.
  const before = tokens.at(-1)?.kind === 'space' ? tokens.at(-2) : tokens.at(-1)
  const isMessage = before === undefined || (before.kind === 'mark' && !isQuoteMark(before))
  if (isMessage && !text.startsWith('...', end + 1)) return -1
  tokens.push(mark(quote), data(content), mark(quote))
  return end + 1
}

/** Whether a value belongs to an object as debuggers print it, without quoted keys: `{ name: "Bob" }`. */
function isMember(tokens: readonly Token[]): boolean {
  const colon = tokens.at(-1)?.kind === 'space' ? tokens.length - 2 : tokens.length - 1
  const key = tokens[colon - 1]
  if (tokens[colon]?.text !== ':' || key?.kind !== 'word' || namesError(key.text)) return false
  const before = tokens[colon - 2]?.kind === 'space' ? tokens[colon - 3] : tokens[colon - 2]
  return before?.kind === 'mark' && (before.text === '{' || before.text === ',')
}

const isQuoteMark = ({ text }: Token): boolean => text === '"' || text === "'" || text === '`'

/** Commands begin with a verb in capitals: `GET /cart HTTP/1.1`, `SELECT …`. */
function isCommand(content: string): boolean {
  let index = 0
  while (index < 12 && content.charCodeAt(index) >= 65 && content.charCodeAt(index) <= 90)
    index += 1
  return index >= 3 && content.charCodeAt(index) === 32
}
