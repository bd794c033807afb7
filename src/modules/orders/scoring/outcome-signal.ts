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
  oddsRisk,
  readable,
  silentOrders,
} from '../../behavior/index.ts'
import type { OrderStates, TerminalState } from './states.ts'

export function assessOutcomes(
  states: OrderStates,
  at_ms: number,
): { pattern: Assessment; device: Assessment } {
  const covered = states.organization ? coverage(states.organization.labels) : 0
  const terminal = assessTerminal(states.terminal ?? states.store, covered, at_ms)
  const profile = riskOf(states.profile?.labels, covered, at_ms)
  const device = riskOf(states.device?.labels, covered, at_ms)
  return {
    pattern: assessed(100 * (1 - (1 - terminal.risk) * (1 - profile)), 'recent_frauds', {
      ...terminal.numbers,
      ...(profile > 0 && { profile_fraud_rate: readable(profile) }),
    }),
    device: assessed(100 * device, 'recent_frauds_on_device', {
      ...(device > 0 && { device_fraud_rate: readable(device) }),
    }),
  }
}

/** A tampered terminal keeps processing honest orders, so it never counts in full. */
const TAMPERED_SHARE = 0.7

/**
 * The risk of a terminal is its recent fraud rate or the probability of tampering, whichever is
 * greater.
 */
function assessTerminal(
  terminal: TerminalState | undefined,
  covered: number,
  at_ms: number,
): { risk: number; numbers: Record<string, number> } {
  if (terminal === undefined) return { risk: 0, numbers: {} }
  const { labels, odds } = terminal
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
