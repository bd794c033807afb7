/** A piece of a message: a word, data, a mark (bracket, quote, comma) or white space. */
export type Token = { kind: 'word' | 'data' | 'mark' | 'space'; text: string }

export const mark = (text: string): Token => ({ kind: 'mark', text })
export const data = (text: string): Token => ({ kind: 'data', text })
