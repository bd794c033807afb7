/** Core web vitals: up to which value they are good, and beyond which poor (web.dev/articles/vitals). */
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

export type Rating = 'good' | 'needs_improvement' | 'poor'

/** Both bounds belong to the better side. */
export function rate(name: VitalName, value: number): Rating {
  const { good, poor } = THRESHOLDS[name]
  if (value <= good) return 'good'
  return value <= poor ? 'needs_improvement' : 'poor'
}
