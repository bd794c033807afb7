/**
 * Finds the constant part of a message: the text of the programmer, with data replaced by `<*>`. It
 * keeps no state, so that a message has the same template on every node and after every restart.
 */
import { markNames, withInstances, withoutRepeatedSizes } from './message/names.ts'
import type { Token } from './message/token.ts'
import { readTokens } from './message/tokens.ts'

/**
 * Returns a template such as `Connection to <*> failed after <*>`, from the first two lines that are
 * not empty and at most 1,024 characters.
 */
export function messageTemplate(message: string): string {
  const tokens = readTokens(firstLines(message))
  keepErrorCode(tokens)
  markSender(tokens)
  markNames(tokens)
  return join(withInstances(withoutRepeatedSizes(tokens)))
}

export const MESSAGE_MAX = 1024
/** Leading empty lines are skipped only up to this number of characters. */
const LEADING_MAX = 8 * MESSAGE_MAX

/** Joins the first two lines that are not empty. */
export function firstLines(message: string): string {
  const head = message.length > LEADING_MAX ? message.slice(0, LEADING_MAX) : message
  if (!head.includes('\n')) return cut(head.trim())
  const lines: string[] = []
  let from = 0
  while (from < head.length && lines.length < 2) {
    const end = head.indexOf('\n', from)
    const line = head.slice(from, end < 0 ? head.length : end).trim()
    if (line !== '') lines.push(line)
    from = end < 0 ? head.length : end + 1
  }
  return cut(lines.join(' '))
}

/** Cuts between words, because half of an id can look like a word. */
function cut(line: string): string {
  if (line.length <= MESSAGE_MAX) return line
  const space = line.lastIndexOf(' ', MESSAGE_MAX)
  return line.slice(0, space > MESSAGE_MAX / 2 ? space : MESSAGE_MAX)
}

/** A message that begins with `ORA-00942:` or `TS2304:` identifies its error by this code. */
function keepErrorCode(tokens: readonly Token[]): void {
  const first = tokens[0]
  if (first?.kind !== 'data' || !isErrorCode(first.text)) return
  // With a number after it, it is a date or a label: `E0507 11:59:43`.
  const isAlone = tokens[1]?.kind === 'space' && tokens[2]?.kind !== 'word'
  if (!isAlone) first.kind = 'word'
}

/** One to five capitals, an optional hyphen, and three to six digits. */
function isErrorCode(text: string): boolean {
  let index = 0
  while (index < 6 && isBetween(text.charCodeAt(index), 65, 90)) index += 1
  if (index === 0 || index > 5) return false
  if (text.charCodeAt(index) === 45) index += 1
  const digits = text.length - index
  if (digits < 3 || digits > 6) return false
  for (; index < text.length; index += 1) {
    if (!isBetween(text.charCodeAt(index), 48, 57)) return false
  }
  return true
}

/** A shorter text says too little without its sender. */
const TEXT_WORDS = 5

/**
 * Marks the name of an agent or job before a text: `com.example.CacheDelete.daily: the start time …`.
 * A name with one capitalized part, at its end, is a class.
 */
function markSender(tokens: readonly Token[]): void {
  const [first, colon, space] = tokens
  if (first?.kind !== 'word' || colon?.text !== ':' || space?.kind !== 'space') return
  if (!SENDER.test(first.text) || ERROR.test(first.text)) return
  const text_words = tokens.filter(({ kind }, index) => index > 1 && kind === 'word').length
  if (text_words >= TEXT_WORDS) first.kind = 'data'
}

const SENDER = /^(?:com|org|net|io)(?:\.[a-z]\w*)+\.[A-Z]\w*(?:\.\w+)+$/
const ERROR = /err|exception|fault|fail/i

const isBetween = (code: number, low: number, high: number): boolean => code >= low && code <= high

const DATA = '<*>'

/** Joins the tokens. Data separated only by punctuation becomes one piece of data. */
function join(tokens: readonly Token[]): string {
  let text = ''
  let gap = ''
  let isAfterData = false
  for (const token of tokens) {
    if (token.kind === 'data') {
      text += isAfterData ? '' : gap + DATA
      isAfterData = true
      gap = ''
    } else if (joins(token)) gap += token.text
    else {
      text += gap + token.text
      gap = ''
      isAfterData = false
    }
  }
  return collapseSpaces(text + gap)
}

const JOINING = new Set([',', ';', ':', '|', '=', '"', "'", '`', '":'])

/** Whether a token can separate the items of a list: space, marks and words of punctuation. */
function joins({ kind, text }: Token): boolean {
  if (kind === 'space' || (kind === 'mark' && JOINING.has(text))) return true
  return (
    kind === 'word' &&
    text.length <= 2 &&
    (text === '-' || text === '->' || text === '/' || text === '&' || text === '+')
  )
}

function collapseSpaces(text: string): string {
  let result = ''
  let from = 0
  for (let index = 1; index < text.length; index += 1) {
    if (text.charCodeAt(index) !== 32 || text.charCodeAt(index - 1) !== 32) continue
    result += text.slice(from, index)
    from = index + 1
  }
  return (from === 0 ? text : result + text.slice(from)).trim()
}
