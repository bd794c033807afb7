/**
 * A set of names with eight flags each, stored as sorted 64-bit hashes: nine bytes per name instead
 * of the 140 of a Set of strings. A name that was never added has the flags 0, except after a hash
 * collision (a chance of about one in 10^14 for 200,000 names).
 */
import { asUint32, bytesOf, type Sections, sectionOf } from './sections.ts'

export type HashedNames = {
  readonly size: number
  /** The flags of the name, 0 when it is not in the set. */
  flagsOf(name: string): number
}

/** Sections `<prefix>_high`, `<prefix>_low` and `<prefix>_flags` for a map of names to flags. */
export function packNames(prefix: string, names: ReadonlyMap<string, number>): Sections {
  const hashed = [...names].map(([name, flags]) => ({ ...hashName(name), flags }))
  hashed.sort((a, b) => a.high - b.high || a.low - b.low)
  const high = new Uint32Array(hashed.length)
  const low = new Uint32Array(hashed.length)
  const flags = new Uint8Array(hashed.length)
  for (const [index, entry] of hashed.entries()) {
    high[index] = entry.high
    low[index] = entry.low
    flags[index] = entry.flags
  }
  return {
    [`${prefix}_high`]: bytesOf(high),
    [`${prefix}_low`]: bytesOf(low),
    [`${prefix}_flags`]: flags,
  }
}

export function openNames(prefix: string, sections: Sections): HashedNames {
  const high = asUint32(sectionOf(sections, `${prefix}_high`))
  const low = asUint32(sectionOf(sections, `${prefix}_low`))
  const flags = sectionOf(sections, `${prefix}_flags`)
  return {
    size: high.length,
    flagsOf: (name) => {
      const hash = hashName(name)
      let index = firstNotBelow(high, hash.high)
      // Names whose hashes share the upper half are adjacent; there are rarely two of them.
      while (index < high.length && high[index] === hash.high) {
        if (low[index] === hash.low) return flags[index] ?? 0
        index += 1
      }
      return 0
    },
  }
}

/** Index of the first number that is not below the value, by binary search. */
export function firstNotBelow(sorted: Uint32Array | Float64Array, value: number): number {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((sorted[middle] ?? 0) < value) from = middle + 1
    else to = middle
  }
  return from
}

/** Two 32-bit multiply-and-xor hashes over UTF-16 units, crossed at the end to mix both halves. */
function hashName(name: string): { high: number; low: number } {
  let first = 0xdeadbeef
  let second = 0x41c6ce57
  for (let index = 0; index < name.length; index += 1) {
    const unit = name.charCodeAt(index)
    first = Math.imul(first ^ unit, 0x9e3779b1)
    second = Math.imul(second ^ unit, 0x5f356495)
  }
  first =
    Math.imul(first ^ (first >>> 16), 0x85ebca6b) ^ Math.imul(second ^ (second >>> 13), 0xc2b2ae35)
  second =
    Math.imul(second ^ (second >>> 16), 0x85ebca6b) ^ Math.imul(first ^ (first >>> 13), 0xc2b2ae35)
  return { high: first >>> 0, low: second >>> 0 }
}
