/**
 * Splits a message into words, data, marks and spaces, in one pass. Text after `=` or a JSON key is
 * always data; other words are classified one by one (`variable-word.ts`).
 */
import { words } from '../words.ts'
import {
  BACKSLASH,
  COLON,
  characterClass,
  DELIMITER,
  DIGIT,
  EQUALS,
  isAlphanumeric,
  isEscape,
  OTHER,
  QUOTE,
  SPACE,
} from './characters.ts'
import { data, mark, type Token } from './token.ts'
import { endOfQuoted, readEquals, readQuoted } from './values.ts'
import { isVariableWord, TOP_LEVEL } from './variable-word.ts'

export function readTokens(text: string): Token[] {
  const tokens: Token[] = []
  let index = 0
  const closings: number[] = []
  while (index < text.length) {
    const code = text.charCodeAt(index)
    const kind = characterClass(code)
    if (kind === SPACE) {
      index = endOfSpace(text, index)
      tokens.push({ kind: 'space', text: ' ' })
    } else if (isEscape(text, index)) {
      index += 1
    } else if (code === EQUALS) {
      index = readEquals(text, index, tokens)
    } else if (code === OPEN_SQUARE && endOfAddress(text, index) > 0) {
      const end = endOfWord(text, endOfAddress(text, index))
      tokens.push(data(text.slice(index, end)))
      index = end
    } else if (kind === QUOTE && !isClosing(closings, index)) {
      const end = endOfQuoted(text, index)
      const next = end < 0 ? -1 : readQuoted(text, index, end, tokens)
      if (next < 0) tokens.push(mark(text.charAt(index)))
      if (next < 0 && end > 0) closings.push(end)
      index = next < 0 ? index + 1 : next
    } else if (kind === QUOTE || (kind === DELIMITER && !isSignOfNumber(text, index))) {
      if (kind === QUOTE) closings.pop()
      if (isEmptyPair(tokens, code)) tokens.push(data(''))
      tokens.push(mark(text.charAt(index)))
      index += 1
    } else {
      const end = endOfWord(text, index)
      pushWord(text.slice(index, end), tokens)
      index = end
    }
  }
  return tokens
}

const OPEN_SQUARE = 91

/** Whether a quote ends an earlier one. Ends that lie within a value are dropped. */
function isClosing(closings: number[], index: number): boolean {
  while ((closings.at(-1) ?? index) < index) closings.pop()
  return closings.at(-1) === index
}

function endOfSpace(text: string, from: number): number {
  let index = from + 1
  while (index < text.length && characterClass(text.charCodeAt(index)) === SPACE) index += 1
  return index
}

/** Returns the closing bracket of an IPv6 address before its port (`[fe80::1]`), or 0. */
function endOfAddress(text: string, open: number): number {
  let colons = 0
  for (let index = open + 1; index < open + 48; index += 1) {
    const code = text.charCodeAt(index)
    const lower = code | 32
    if (code === 93) return colons > 1 ? index : 0
    if (code === COLON) colons += 1
    else if (!(lower >= 97 && lower <= 102) && !(code >= 48 && code <= 57)) return 0
  }
  return 0
}

/** Separate `()` and `[]` are empty values; `close()` is a name. */
function isEmptyPair(tokens: readonly Token[], code: number): boolean {
  if (code !== 41 && code !== 93) return false
  const open = tokens.at(-1)
  const isOpen = open?.kind === 'mark' && open.text === (code === 41 ? '(' : '[')
  return isOpen && tokens.at(-2)?.kind === 'space'
}

/** The sign in `<1 s` and `>5` belongs to the number. */
function isSignOfNumber(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return (code === 60 || code === 62) && characterClass(text.charCodeAt(index + 1)) === DIGIT
}

/** A word ends at white space and delimiters; the apostrophe in `can't` and `1'234` belongs to it. */
function endOfWord(text: string, from: number): number {
  const isUnspaced = isUnspacedScript(text.charCodeAt(from))
  let index = from + 1
  for (; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    const kind = characterClass(code)
    if (code === BACKSLASH && isEscape(text, index)) break
    if (code > 127 || isUnspaced) {
      if (isUnspacedScript(code) !== isUnspaced) break
    }
    if (kind === OTHER || kind === DIGIT) continue
    if (code !== 39 && code !== 0x2019) break
    if (!isAlphanumeric(text, index + 1) || !isAlphanumeric(text, index - 1)) break
  }
  return index
}

/** Thai, Chinese, Japanese and Korean have no spaces between words and numbers. */
const isUnspacedScript = (code: number): boolean =>
  (code >= 0xe00 && code <= 0xe7f) ||
  (code >= 0x2e80 && code <= 0x9fff) ||
  (code >= 0xac00 && code <= 0xd7af)

/** Adds a word without trailing punctuation; `key:value` is split into key and value. */
function pushWord(text: string, tokens: Token[]): void {
  let end = text.length
  while (end > 0 && isPunctuation(text.charCodeAt(end - 1))) end -= 1
  let start = 0
  let colon = keyEnd(text, start, end)
  while (colon > 0) {
    tokens.push({ kind: 'word', text: text.slice(start, colon) }, mark(':'))
    start = colon + 1
    colon = keyEnd(text, start, end)
  }
  const word = text.slice(start, end)
  if (word !== '') tokens.push({ kind: isVariableWord(word) ? 'data' : 'word', text: word })
  if (end < text.length) tokens.push(mark(text.slice(end)))
}

/** Punctuation after a word: `. : ! ? …`. */
const isPunctuation = (code: number): boolean =>
  code === 46 || code === COLON || code === 33 || code === 63 || code === 0x2026

/** Returns the end of the name in `name:value`; 0 for addresses, `a::b`, and code (`cart.c:12`). */
function keyEnd(text: string, start: number, end: number): number {
  let dots = 0
  let dot = 0
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index)
    if (code === COLON) {
      const next = text.charCodeAt(index + 1)
      if (index === start || next === COLON || (next === 92 && index === start + 1)) return 0
      if (next === 47 && text.charCodeAt(index + 2) === 47) return 0
      if (dots > 0 && characterClass(next) === DIGIT) {
        const last = text.slice(dot + 1, index)
        if (dots > 1 || SOURCES.has(last) || TOP_LEVEL.has(last)) return 0
      }
      return isHardwareAddress(text, start, index) ? 0 : index
    }
    const lower = code | 32
    const isPart = (lower >= 97 && lower <= 122) || code === 46 || code === 95 || code === 45
    if (!isPart) return 0
    if (code === 46) {
      dots += 1
      dot = index
    }
  }
  return 0
}

const SOURCES = words(
  `c cc cpp cxx h hpp m mm rs go java kt scala py rb php js mjs ts tsx jsx cs swift dart`,
)

/** A hardware address such as `fa:16:3e:…` has its first two colons three characters apart. */
const isHardwareAddress = (text: string, start: number, colon: number): boolean =>
  colon === start + 2 && text.charCodeAt(colon + 3) === COLON
