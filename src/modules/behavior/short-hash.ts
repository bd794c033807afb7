/** Short hashes that distinguish long identifiers within one list of a state. */

/** @returns 24-bit hash: FNV-1a over pairs of characters with a final mix */
export function shortHash(text: string): number {
  const { length } = text
  let hash = 0x811c9dc5 ^ length
  for (let i = 0; i + 1 < length; i += 2) {
    const pair = text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16)
    hash = Math.imul(hash ^ pair, 0x01000193)
    hash ^= hash >>> 15
  }
  if (length % 2 === 1) hash = Math.imul(hash ^ text.charCodeAt(length - 1), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return (hash ^ (hash >>> 15)) >>> 8
}
