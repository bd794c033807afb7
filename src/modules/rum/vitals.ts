/** Web vitals, with their thresholds for good and poor values (web.dev/articles/vitals). */
export const VITALS = ['LCP', 'INP', 'CLS', 'FCP', 'TTFB'] as const
export type VitalName = (typeof VITALS)[number]

/** Milliseconds; CLS has no unit. */
export const THRESHOLDS: Record<VitalName, { good: number; poor: number }> = {
  LCP: { good: 2500, poor: 4000 },
  INP: { good: 200, poor: 500 },
  CLS: { good: 0.1, poor: 0.25 },
  FCP: { good: 1800, poor: 3000 },
  TTFB: { good: 800, poor: 1800 },
}

/** Greater values are refused: ten minutes, and more shifts than a page can show. */
export const VITALS_MAX: Record<VitalName, number> = {
  LCP: 600_000,
  INP: 600_000,
  CLS: 100,
  FCP: 600_000,
  TTFB: 600_000,
}

export const isVital = (name: string): name is VitalName =>
  (VITALS as readonly string[]).includes(name)

export type Rating = 'good' | 'needs_improvement' | 'poor'

/** Both thresholds belong to the better rating. */
export function rate(name: VitalName, value: number): Rating {
  const { good, poor } = THRESHOLDS[name]
  if (value <= good) return 'good'
  return value <= poor ? 'needs_improvement' : 'poor'
}
