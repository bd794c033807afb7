/** Longest-prefix look-up for digit strings. Each prefix is one sorted double that encodes its length. */
import { firstNotBelow } from './hashed-names.ts'
import { asFloat64, asUint16, bytesOf, type Sections, sectionOf } from './sections.ts'

/** Fourteen digits after a leading 1 stay exact in a double; no numbering plan needs more. */
const LONGEST_PREFIX = 14

export type DigitPrefixes = {
  readonly size: number
  /** The value of the longest matching prefix, or undefined. */
  longestMatch(digits: string): number | undefined
}

/**
 * Packs into sections `<prefix>_keys` and `<prefix>_values`. Values are below 65,536; prefixes that
 * are too long are rejected.
 */
export function packPrefixes(prefix: string, values: ReadonlyMap<string, number>): Sections {
  const entries = [...values].map(([digits, value]) => ({ key: keyOf(digits), value }))
  const bad = entries.find(({ key, value }) => !Number.isSafeInteger(key) || value > 0xffff)
  if (bad !== undefined) throw new Error(`not a digit prefix with a small value: ${bad.key}`)
  entries.sort((a, b) => a.key - b.key)
  return {
    [`${prefix}_keys`]: bytesOf(Float64Array.from(entries, ({ key }) => key)),
    [`${prefix}_values`]: bytesOf(Uint16Array.from(entries, ({ value }) => value)),
  }
}

export function openPrefixes(prefix: string, sections: Sections): DigitPrefixes {
  const keys = asFloat64(sectionOf(sections, `${prefix}_keys`))
  const values = asUint16(sectionOf(sections, `${prefix}_values`))
  return {
    size: keys.length,
    longestMatch: (digits) => {
      if (!/^[0-9]+$/.test(digits)) return undefined
      for (let length = Math.min(digits.length, LONGEST_PREFIX); length > 0; length -= 1) {
        const index = indexOf(keys, keyOf(digits.slice(0, length)))
        if (index >= 0) return values[index]
      }
      return undefined
    },
  }
}

/** A leading 1 preserves leading zeros and distinguishes prefixes of different lengths. */
function keyOf(digits: string): number {
  return /^[0-9]{1,14}$/.test(digits) ? Number(`1${digits}`) : Number.NaN
}

function indexOf(sorted: Float64Array, wanted: number): number {
  const index = firstNotBelow(sorted, wanted)
  return sorted[index] === wanted ? index : -1
}
