/**
 * Maps ranges of unsigned integers of up to 64 bits to numbers, by binary search over sorted
 * starts. A gap is a range with the value 0, so only starts are stored.
 */
import { asUint16, asUint32, bytesOf, type Sections, sectionOf } from './sections.ts'

/** `first` and `last` are inclusive, as pairs of 32-bit halves; `value` is 1 or more. */
export type Range = {
  readonly first_high: number
  readonly first_low: number
  readonly last_high: number
  readonly last_low: number
  readonly value: number
}

export type RangeTable = {
  readonly size: number
  /** The value of the range that holds the number, 0 when none does. */
  valueAt(high: number, low: number): number
}

const FULL = 0xffffffff

/**
 * Packs into sections `<prefix>_high`, `<prefix>_low` and `<prefix>_value`. Ranges must be sorted by
 * their start. Neighbors with the same value are joined; the earlier of two overlapping ranges wins.
 */
export function packRanges(prefix: string, ranges: Iterable<Range>): Sections {
  const starts: { high: number; low: number; value: number }[] = []
  const begin = (high: number, low: number, value: number) => {
    if (starts.at(-1)?.value === value || (starts.length === 0 && value === 0)) return
    const last = starts.at(-1)
    if (last?.high === high && last.low === low) starts.pop()
    if (starts.at(-1)?.value !== value) starts.push({ high, low, value })
  }
  let next = { high: 0, low: 0 }
  let isFull = false
  for (const range of ranges) {
    if (isFull || isBelow(range.last_high, range.last_low, next)) continue
    const isOverlapping = isBelow(range.first_high, range.first_low, next)
    const high = isOverlapping ? next.high : range.first_high
    const low = isOverlapping ? next.low : range.first_low
    if (high !== next.high || low !== next.low) begin(next.high, next.low, 0)
    begin(high, low, range.value)
    isFull = range.last_high === FULL && range.last_low === FULL
    next = after(range.last_high, range.last_low)
  }
  if (!isFull) begin(next.high, next.low, 0)
  // 32-bit numbers use the upper half only, and the lower half is then omitted.
  const lows = starts.some((start) => start.low !== 0) ? starts.map((start) => start.low) : []
  return {
    [`${prefix}_high`]: bytesOf(Uint32Array.from(starts, (start) => start.high)),
    [`${prefix}_low`]: bytesOf(Uint32Array.from(lows)),
    [`${prefix}_value`]: narrowest(starts.map((start) => start.value)),
  }
}

/** The range of 32-bit numbers from `first` to `last`; query it with `valueAt(number, 0)`. */
export function range32(first: number, last: number, value: number): Range {
  return { first_high: first, first_low: 0, last_high: last, last_low: FULL, value }
}

export function openRanges(prefix: string, sections: Sections): RangeTable {
  const high = asUint32(sectionOf(sections, `${prefix}_high`))
  const low = asUint32(sectionOf(sections, `${prefix}_low`))
  const value = asUnsigned(sectionOf(sections, `${prefix}_value`), high.length)
  return {
    size: high.length,
    valueAt: (wantedHigh, wantedLow) => {
      let from = 0
      let to = high.length
      while (from < to) {
        const middle = (from + to) >>> 1
        const startHigh = high[middle] ?? 0
        const isAfter =
          startHigh > wantedHigh || (startHigh === wantedHigh && (low[middle] ?? 0) > wantedLow)
        if (isAfter) to = middle
        else from = middle + 1
      }
      return from === 0 ? 0 : (value[from - 1] ?? 0)
    },
  }
}

function narrowest(values: readonly number[]): Uint8Array {
  const isSmall = values.every((value) => value <= 0xffff)
  return bytesOf(isSmall ? Uint16Array.from(values) : Uint32Array.from(values))
}

function asUnsigned(section: Uint8Array, count: number): Uint16Array | Uint32Array {
  return section.byteLength === count * 2 ? asUint16(section) : asUint32(section)
}

function isBelow(high: number, low: number, limit: { high: number; low: number }): boolean {
  return high < limit.high || (high === limit.high && low < limit.low)
}

function after(high: number, low: number): { high: number; low: number } {
  return low === FULL ? { high: (high + 1) >>> 0, low: 0 } : { high, low: low + 1 }
}
