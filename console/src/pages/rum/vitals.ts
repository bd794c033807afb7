/** Names, thresholds (web.dev/articles/vitals) and units of web vitals. */
import type { RumVitalName } from '../../../../src/modules/rum/reading/schema.ts'
import { numberText } from '../../components/format.ts'

export const VITAL_NAMES: readonly RumVitalName[] = ['LCP', 'INP', 'CLS', 'FCP', 'TTFB']

/** Both bounds are inclusive on the better side. In milliseconds; CLS has no unit. */
export const THRESHOLDS: Record<RumVitalName, { good: number; poor: number }> = {
  LCP: { good: 2500, poor: 4000 },
  INP: { good: 200, poor: 500 },
  CLS: { good: 0.1, poor: 0.25 },
  FCP: { good: 1800, poor: 3000 },
  TTFB: { good: 800, poor: 1800 },
}

/** @returns LCP for an unknown name */
export const vitalOf = (text: string): RumVitalName =>
  VITAL_NAMES.find((name) => name === text) ?? 'LCP'

export function vitalText(name: RumVitalName, value: number): string {
  if (name === 'CLS') return numberText(value, { digits: 3 })
  return value < 1000
    ? `${numberText(value, { digits: 0 })} ms`
    : `${numberText(value / 1000, { digits: 2 })} s`
}
