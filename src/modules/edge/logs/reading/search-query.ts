/**
 * The language of the search over messages: words that must all occur, and phrases in quotes. What a
 * word is, and when two are the same, is decided here for queries, for messages and for the live
 * tail; the engine only splits ASCII at what is no letter or digit, and lower-cases it.
 */

export type SearchQuery = {
  /** All must occur; those of the phrases included. */
  words: readonly string[]
  /** Words that must follow each other directly. */
  phrases: readonly (readonly string[])[]
}

export const SEARCH_WORDS_MAX = 32
export const SEARCH_MAX_CHARS = 1024

/** Scripts that put no spaces between words: there each character is a word, and a run a phrase. */
const UNSPACED =
  '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}'
const WORD = new RegExp(`[${UNSPACED}]\\p{M}*|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, 'gu')
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u')
const ASCII_WORD = /[0-9a-z]+/g
const QUOTED = /"([^"]*)"?/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII, which begins with them
const BEYOND_ASCII = /[^\0-\x7f]/

/** @returns undefined when there is no word in it, or more than SEARCH_WORDS_MAX different ones */
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

/** The words of a text in their order, in the form in which they are compared. */
export function wordsOf(text: string): string[] {
  return BEYOND_ASCII.test(text)
    ? (folded(text).match(WORD) ?? [])
    : (text.toLowerCase().match(ASCII_WORD) ?? [])
}

/**
 * What is stored beside a message for the search: its words, where the engine would not find them
 * by itself; empty for a message in plain ASCII.
 */
export function searchedWords(message: string): string {
  // A message of signs alone has no words, and must not be searched by its signs.
  return BEYOND_ASCII.test(message) ? wordsOf(message).join(' ') || ' ' : ''
}

export function matchesSearch({ words, phrases }: SearchQuery, message: string): boolean {
  const found = wordsOf(message)
  const known = new Set(found)
  return (
    words.every((word) => known.has(word)) && phrases.every((phrase) => holdsPhrase(found, phrase))
  )
}

/** Upper and then lower case, because `ß` has no other way to `ss`; full-width letters are letters. */
const folded = (text: string): string =>
  withFewMarks(compatible(text).toUpperCase().toLowerCase().normalize('NFKC'))
    .replaceAll('i\u0307', 'i')
    .replaceAll('ς', 'σ')

/** One character may stand for eighteen; a long text of nothing but such is searched by its beginning. */
const compatible = (text: string): string =>
  withFewMarks(text)
    .normalize('NFKC')
    .slice(0, 2 * text.length + GROWTH_CHARS)

const GROWTH_CHARS = 1024

/**
 * No writing has more marks on a letter (UAX #15, "Stream-Safe Text Format"; the last two become
 * marks). To bring many into their order takes the square of their number.
 */
const MANY_MARKS = /([\p{M}\uFF9E\uFF9F]{30})[\p{M}\uFF9E\uFF9F]+/gu
const withFewMarks = (text: string): string => text.replace(MANY_MARKS, '$1')

/** `日本語` is searched as those characters in this order, as if it stood in quotes. */
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
