/** Longest-prefix look-up for digit strings: each prefix is one sorted double, its length included. */
import { asFloat64, asUint16, bytesOf, type Sections, sectionOf } from './sections.ts'

/** Fourteen digits behind a leading 1 stay exact in a double; no number plan needs more. */
const LONGEST_PREFIX = 14

export type DigitPrefixes = {
  readonly size: number
  /** The value of the longest prefix of the digits, undefined when there is none. */
  longestMatch(digits: string): number | undefined
}

/** Sections `<prefix>_keys` and `<prefix>_values`; values below 65,536, over-long prefixes refused. */
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

/** A leading 1 keeps leading zeros and tells prefixes of different lengths apart. */
function keyOf(digits: string): number {
  return /^[0-9]{1,14}$/.test(digits) ? Number(`1${digits}`) : Number.NaN
}

function indexOf(sorted: Float64Array, wanted: number): number {
  let from = 0
  let to = sorted.length - 1
  while (from <= to) {
    const middle = (from + to) >>> 1
    const key = sorted[middle] ?? 0
    if (key === wanted) return middle
    if (key < wanted) from = middle + 1
    else to = middle - 1
  }
  return -1
}
