/** Short names for members of a state: eleven characters, or 53 bits, suffice for a few dozen. */

/** FNV-1a with two different offsets; the same text has the same key in every process. */
export function shortKey(text: string): string {
  let low = 0x811c9dc5
  let high = 0x01234567
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ code, 0x01000193) ^ (low >>> 15)
  }
  return ((high >>> 11) * 0x1_0000_0000 + (low >>> 0)).toString(36)
}
