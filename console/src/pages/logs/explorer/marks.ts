/** Where the words of a query occur in a message, to mark them for the reader. */

export type Piece = { text: string; is_match: boolean }

/**
 * Accents are compared as they are written, so that a word with other accents stays unmarked.
 *
 * @param words of `QueryReading`: whole words, or parts with `*` where the word goes on
 */
export function markedPieces(message: string, words: readonly string[]): Piece[] {
  const pattern = words.map(patternOf).join('|')
  if (pattern === '') return [{ text: message, is_match: false }]
  // `split` returns the captured matches between the other pieces.
  return message
    .split(new RegExp(`(${pattern})`, 'giu'))
    .map((text, index) => ({ text, is_match: index % 2 === 1 }))
    .filter(({ text }) => text !== '')
}

function patternOf(word: string): string {
  const text = word.replace(/^\*|\*$/g, '').replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  const before = word.startsWith('*') ? '' : '(?<![\\p{L}\\p{N}])'
  const after = word.endsWith('*') ? '' : '(?![\\p{L}\\p{N}])'
  return before + text + after
}
