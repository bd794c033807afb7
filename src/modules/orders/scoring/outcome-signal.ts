/**
 * Assesses the terminal, profile and device by the review decisions about their recent orders.
 * Terminal and profile count as a suspicious pattern and the device as a device anomaly, so the
 * documented signals stay six.
 */
import {
  type Assessment,
  assessed,
  coverage,
  type LabelsState,
  labelRisk,
  outcomeRisk,
  readable,
} from '../../behavior/index.ts'
import type { OrderStates } from './states.ts'
import { terminalOutcomes } from './terminal-outcomes.ts'

export function assessOutcomes(
  states: OrderStates,
  at_ms: number,
): { pattern: Assessment; device: Assessment } {
  const covered = states.organization ? coverage(states.organization.labels) : 0
  const place = states.terminal ?? states.store
  const terminal = place === undefined ? 0 : outcomeRisk(terminalOutcomes(place), covered, at_ms)
  const profile = riskOf(states.profile?.labels, covered, at_ms)
  const device = riskOf(states.device?.labels, covered, at_ms)
  return {
    pattern: assessed(100 * (1 - (1 - terminal) * (1 - profile)), 'recent_frauds', {
      ...(terminal > 0 && { terminal_fraud_rate: readable(terminal) }),
      ...(profile > 0 && { profile_fraud_rate: readable(profile) }),
    }),
    device: assessed(100 * device, 'recent_frauds_on_device', {
      ...(device > 0 && { device_fraud_rate: readable(device) }),
    }),
  }
}

const riskOf = (labels: LabelsState | undefined, covered: number, at_ms: number): number =>
  labels === undefined ? 0 : labelRisk(labels, covered, at_ms)
