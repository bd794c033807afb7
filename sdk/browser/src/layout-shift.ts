/**
 * Cumulative Layout Shift (https://web.dev/articles/cls): the largest session window of unexpected
 * shifts, in which gaps are under 1 second and which lasts at most 5 seconds.
 */

export type LayoutShift = PerformanceEntry & { value: number; hadRecentInput: boolean }

export type LayoutShiftScore = {
  add: (entry: Pick<LayoutShift, 'startTime' | 'value' | 'hadRecentInput'>) => void
  value: () => number
}

export function createLayoutShiftScore(): LayoutShiftScore {
  let worst = 0
  let sum = 0
  let first = 0
  let last = 0
  return {
    add: ({ startTime, value, hadRecentInput }) => {
      if (hadRecentInput) return
      const continues = sum > 0 && startTime - last < 1_000 && startTime - first < 5_000
      if (!continues) {
        sum = 0
        first = startTime
      }
      sum += value
      last = startTime
      worst = Math.max(worst, sum)
    },
    value: () => worst,
  }
}
