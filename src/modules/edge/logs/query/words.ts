/**
 * Defines the words of a message and when two are equal, for queries, stored messages and the live
 * tail; the engine only splits ASCII at characters other than letters and digits and lower-cases it.
 */

/** Scripts without spaces between words: each character is a word, and a run of them a phrase. */
const UNSPACED =
  '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}'
const WORD = new RegExp(`[${UNSPACED}]\\p{M}*|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, 'gu')
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u')
const ASCII_WORD = /[0-9a-z]+/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with control characters
const BEYOND_ASCII = /[^\0-\x7f]/

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

export type PlacedWord = { word: string; start: number; end: number; isUnspaced: boolean }

/** Normalizes a text and returns it with the places of its words. @param fold see `foldingsOf` */
export function placedWords(text: string, fold: Fold): { text: string; words: PlacedWord[] } {
  const normal = fold(text)
  const words = [...normal.matchAll(WORD)].map(({ 0: word, index }) => ({
    word,
    start: index,
    end: index + word.length,
    isUnspaced: STARTS_UNSPACED.test(word),
  }))
  return { text: normal, words }
}

export type Fold = (text: string) => string

/**
 * The ways in which the words of stored messages can be normalized: as today, and for a text with
 * accents also as before they were removed, until the retention has deleted those messages.
 */
export const foldingsOf = (text: string): Fold[] =>
  BEYOND_ASCII.test(text) && folded(text) !== foldedKeepingAccents(text)
    ? [folded, foldedKeepingAccents]
    : [folded]

const folded = (text: string): string => withoutAccents(foldedKeepingAccents(text))

/** Upper and then lower case, which turns `ß` into `ss`; NFKC makes full-width letters plain ones. */
const foldedKeepingAccents = (text: string): string =>
  withFewMarks(compatible(text).toUpperCase().toLowerCase().normalize('NFKC'))
    .replaceAll('i\u0307', 'i')
    .replaceAll('ς', 'σ')

/** `naive` finds `naïve`. In other scripts, marks are vowels or make another letter, such as `й`. */
const withoutAccents = (text: string): string =>
  MAY_HAVE_ACCENTS.test(text) ? text.normalize('NFD').replace(ACCENTS, '$1').normalize('NFC') : text

const MAY_HAVE_ACCENTS = /[\u00e0-\u024f\u0370-\u03ff\u1e00-\u1fff]|[\p{sc=Latn}\p{sc=Grek}]\p{M}/u
const ACCENTS = /([\p{sc=Latn}\p{sc=Grek}])\p{M}+/gu

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
