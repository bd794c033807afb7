/** Short names for members of a state: 53 bits tell a few dozen apart, in eleven characters. */

/** FNV-1a with two different starts; the same text gives the same key everywhere. */
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
