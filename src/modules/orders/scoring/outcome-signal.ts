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
  readable,
} from '../../behaviour/index.ts'
import type { OrderStates } from './states.ts'

export function assessOutcomes(
  states: OrderStates,
  at_ms: number,
): { pattern: Assessment; device: Assessment } {
  const covered = states.organization ? coverage(states.organization.labels) : 0
  const terminal = riskOf((states.terminal ?? states.store)?.labels, covered, at_ms)
  const profile = riskOf(states.profile?.labels, covered, at_ms)
  const device = riskOf(states.device?.labels, covered, at_ms)
  return {
    pattern: assessed(1 - (1 - terminal) * (1 - profile), 'recent_frauds', {
      ...(terminal > 0 && { terminal_fraud_rate: readable(terminal) }),
      ...(profile > 0 && { profile_fraud_rate: readable(profile) }),
    }),
    device: assessed(device, 'recent_frauds_on_device', {
      ...(device > 0 && { device_fraud_rate: readable(device) }),
    }),
  }
}

const riskOf = (labels: LabelsState | undefined, covered: number, at_ms: number): number =>
  labels === undefined ? 0 : labelRisk(labels, covered, at_ms)

function assessed(risk: number, finding: string, numbers: Record<string, number>): Assessment {
  const strength = 100 * risk
  const score = Math.round(strength)
  return { score, strength, finding: score > 0 ? finding : null, numbers }
}
