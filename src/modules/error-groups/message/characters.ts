/** Character classes of the message scanner: part of a word, digit, white space, delimiter or quote. */

export const OTHER = 0
export const SPACE = 1
export const DIGIT = 2
export const DELIMITER = 3
export const QUOTE = 4

export const COLON = 58
export const EQUALS = 61
export const BACKSLASH = 92

const ASCII = classesOf([
  [SPACE, '\t\n\v\f\r '],
  [DIGIT, '0123456789'],
  [DELIMITER, '()[]{}<>,;=|'],
  [QUOTE, '"\'`'],
])

/** Returns the class of a UTF-16 unit. Digits of other scripts count, because devices format with them. */
export function characterClass(code: number): number {
  if (code < 128) return ASCII[code] ?? OTHER
  if (code === 0xa0 || code === 0xfeff || code === 0x3000) return SPACE
  if (code >= 0x2000 && code <= 0x202f) {
    if (code <= 0x200b || code >= 0x2028) return code >= 0x202a && code <= 0x202e ? OTHER : SPACE
    return code >= 0x2018 && code <= 0x201f ? DELIMITER : OTHER
  }
  if (code === 0xab || code === 0xbb) return DELIMITER
  return isForeignDigit(code) ? DIGIT : OTHER
}

const isForeignDigit = (code: number): boolean =>
  (code >= 0x660 && code <= 0x669) || // Arabic
  (code >= 0x6f0 && code <= 0x6f9) || // Persian, Urdu
  (code >= 0x966 && code <= 0x96f) || // Devanagari
  (code >= 0x9e6 && code <= 0x9ef) || // Bengali
  (code >= 0xff10 && code <= 0xff19) // full width

function classesOf(groups: readonly (readonly [number, string])[]): Uint8Array {
  const classes = new Uint8Array(128)
  for (const [kind, characters] of groups) {
    for (const character of characters) classes[character.charCodeAt(0)] = kind
  }
  return classes
}

export function isLetter(text: string, index: number): boolean {
  const code = text.charCodeAt(index) | 32
  return code >= 97 && code <= 122
}

export const isAlphanumeric = (text: string, index: number): boolean =>
  isLetter(text, index) || characterClass(text.charCodeAt(index)) === DIGIT

/** Whether a backslash precedes a quote, as in text that was quoted twice. */
export const isEscape = (text: string, index: number): boolean =>
  text.charCodeAt(index) === BACKSLASH && characterClass(text.charCodeAt(index + 1)) === QUOTE
