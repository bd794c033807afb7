import { CHECK_RISK_HALF_LIFE_DAYS, type CheckRiskFound } from './store.ts'

const DAY_MS = 86_400_000

/** What is left of what a check said of a device: 0-100, half of it after 14 days. */
export function fadedCheckRisk(found: CheckRiskFound, now: Date): number {
  if (!found) return 0
  const days = Math.max(0, now.getTime() - found.checked_at.getTime()) / DAY_MS
  return Math.round(found.risk_score * 0.5 ** (days / CHECK_RISK_HALF_LIFE_DAYS))
}
