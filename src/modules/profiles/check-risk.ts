import { DAY_MS } from '../../platform/time-units.ts'
import { CHECK_RISK_HALF_LIFE_DAYS, type CheckRiskFound } from './store.ts'

/** Decayed score of the last check of a device, 0-100, with a half-life of 14 days. */
export function fadedCheckRisk(found: CheckRiskFound, now: Date): number {
  if (!found) return 0
  const days = Math.max(0, now.getTime() - found.checked_at.getTime()) / DAY_MS
  return Math.round(found.risk_score * 0.5 ** (days / CHECK_RISK_HALF_LIFE_DAYS))
}
