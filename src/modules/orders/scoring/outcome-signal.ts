/**
 * What review decisions say of those behind an order: a terminal, device or profile whose recent
 * orders turned out to be fraud. Terminal and profile count as a suspicious pattern, the device as a
 * device anomaly; the documented signals stay six.
 */
import {
  type Assessment,
  coverage,
  type LabelsState,
  labelRisk,
  oddsRisk,
  readable,
  silentOrders,
} from '../../behaviour/index.ts'
import type { OrderStates, TerminalState } from './states.ts'

export function assessOutcomes(
  states: OrderStates,
  at_ms: number,
): { pattern: Assessment; device: Assessment } {
  const covered = states.organization ? coverage(states.organization.labels) : 0
  const till = assessTill(states.terminal ?? states.store, covered, at_ms)
  const profile = riskOf(states.profile?.labels, covered, at_ms)
  const device = riskOf(states.device?.labels, covered, at_ms)
  return {
    pattern: assessed(1 - (1 - till.risk) * (1 - profile), 'recent_frauds', {
      ...till.numbers,
      ...(profile > 0 && { profile_fraud_rate: readable(profile) }),
    }),
    device: assessed(device, 'recent_frauds_on_device', {
      ...(device > 0 && { device_fraud_rate: readable(device) }),
    }),
  }
}

/** Honest orders go on at a terminal that was tampered with: it is never as bad as its frauds. */
const TAMPERED_SHARE = 0.7

/** A terminal is as bad as its recent orders, or as it is likely to have been tampered with. */
function assessTill(
  till: TerminalState | undefined,
  covered: number,
  at_ms: number,
): { risk: number; numbers: Record<string, number> } {
  if (till === undefined) return { risk: 0, numbers: {} }
  const { labels, odds } = till
  const rate = labelRisk(labels, covered, at_ms)
  const tampered = oddsRisk(odds, silentOrders(labels, covered, at_ms), at_ms)
  const risk = Math.max(rate, TAMPERED_SHARE * tampered)
  return {
    risk,
    numbers: {
      ...(rate > 0 && { terminal_fraud_rate: readable(rate) }),
      ...(risk > rate && { terminal_tampered: readable(tampered) }),
    },
  }
}

const riskOf = (labels: LabelsState | undefined, covered: number, at_ms: number): number =>
  labels === undefined ? 0 : labelRisk(labels, covered, at_ms)

function assessed(risk: number, finding: string, numbers: Record<string, number>): Assessment {
  const strength = 100 * risk
  const score = Math.round(strength)
  return { score, strength, finding: score > 0 ? finding : null, numbers }
}
