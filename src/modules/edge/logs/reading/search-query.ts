/**
 * The language of the message search: words that must all occur, and phrases in quotes. This file
 * defines what a word is and when two are equal, for queries, stored messages and the live tail; the
 * engine only splits ASCII at characters other than letters and digits and lower-cases it.
 */

export type SearchQuery = {
  /** Words that must all occur, including those of the phrases. */
  words: readonly string[]
  /** Sequences of words that must be adjacent. */
  phrases: readonly (readonly string[])[]
}

export const SEARCH_WORDS_MAX = 32
export const SEARCH_MAX_CHARS = 1024

/** Scripts without spaces between words: each character is a word, and a run of them a phrase. */
const UNSPACED =
  '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}'
const WORD = new RegExp(`[${UNSPACED}]\\p{M}*|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, 'gu')
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u')
const ASCII_WORD = /[0-9a-z]+/g
const QUOTED = /"([^"]*)"?/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with control characters
const BEYOND_ASCII = /[^\0-\x7f]/

/** @returns undefined if the text has no word, or more than SEARCH_WORDS_MAX different ones */
export function parseSearch(q: string): SearchQuery | undefined {
  const phrases: string[][] = []
  const unquoted = q.replaceAll(QUOTED, (_, quoted: string) => {
    phrases.push(wordsOf(quoted))
    return ' '
  })
  phrases.push(...unspacedRuns(unquoted))
  const words = [...new Set([...wordsOf(unquoted), ...phrases.flat()])]
  if (words.length === 0 || words.length > SEARCH_WORDS_MAX) return undefined
  return { words, phrases: phrases.filter(({ length }) => length > 1) }
}

/** Returns the words of a text in order, normalized for comparison. */
export function wordsOf(text: string): string[] {
  return BEYOND_ASCII.test(text)
    ? (folded(text).match(WORD) ?? [])
    : (text.toLowerCase().match(ASCII_WORD) ?? [])
}

/**
 * Returns the words to store with a message for the search. Empty for a message in plain ASCII,
 * which the engine splits correctly.
 */
export function searchedWords(message: string): string {
  // A message without words gets a space: if it were empty, the engine would index the message itself.
  return BEYOND_ASCII.test(message) ? wordsOf(message).join(' ') || ' ' : ''
}

export function matchesSearch({ words, phrases }: SearchQuery, message: string): boolean {
  const found = wordsOf(message)
  const known = new Set(found)
  return (
    words.every((word) => known.has(word)) && phrases.every((phrase) => holdsPhrase(found, phrase))
  )
}

/** Upper and then lower case, which turns `ß` into `ss`; NFKC makes full-width letters plain ones. */
const folded = (text: string): string =>
  withFewMarks(compatible(text).toUpperCase().toLowerCase().normalize('NFKC'))
    .replaceAll('i\u0307', 'i')
    .replaceAll('ς', 'σ')

/** NFKC can turn one character into eighteen; of such a long text only the beginning is searched. */
const compatible = (text: string): string =>
  withFewMarks(text)
    .normalize('NFKC')
    .slice(0, 2 * text.length + GROWTH_CHARS)

const GROWTH_CHARS = 1024

/**
 * No script needs more than 30 marks on a letter (UAX #15, "Stream-Safe Text Format"; the two
 * half-width signs become marks). Normalization sorts marks in quadratic time.
 */
const MANY_MARKS = /([\p{M}\uFF9E\uFF9F]{30})[\p{M}\uFF9E\uFF9F]+/gu
const withFewMarks = (text: string): string => text.replace(MANY_MARKS, '$1')

/** `日本語` is searched as a phrase of its characters, as if it were in quotes. */
function unspacedRuns(text: string): string[][] {
  if (!BEYOND_ASCII.test(text)) return []
  const runs: string[][] = []
  let endedAt = -1
  for (const { 0: word, index } of folded(text).matchAll(WORD)) {
    if (STARTS_UNSPACED.test(word)) {
      if (index === endedAt) runs.at(-1)?.push(word)
      else runs.push([word])
      endedAt = index + word.length
    }
  }
  return runs.filter(({ length }) => length > 1)
}

function holdsPhrase(words: readonly string[], phrase: readonly string[]): boolean {
  const last = words.length - phrase.length
  for (let start = 0; start <= last; start += 1) {
    if (phrase.every((word, offset) => words[start + offset] === word)) return true
  }
  return false
}
