/**
 * Raises alerts on suspicious patterns, once per profile and pattern in 24 hours. For anonymous
 * orders the device, or else the terminal or store, takes the place of the profile.
 */
import { DAY_MS } from '../../../platform/time-units.ts'
import { type Measurement } from '../../behavior/index.ts'
import type { AlertsState } from '../../profiles/index.ts'
import type { OrderParameters } from './parameters.ts'
import type { OrderStates } from './states.ts'

const SUBJECTS = ['profile', 'device', 'terminal', 'store'] as const

/**
 * @param next states after the order was learned, so every key has one
 * @param byRules patterns of custom rules that ask for an alert
 */
export function raiseAlerts(
  next: OrderStates,
  { finding, score }: Measurement,
  now_ms: number,
  { flag_scores }: OrderParameters,
  byRules: readonly string[] = [],
): { next: OrderStates; alerts: string[] } {
  const isObserved = finding !== null && score >= flag_scores.pattern
  const patterns = isObserved ? [finding, ...byRules] : byRules
  if (patterns.length === 0) return { next, alerts: [] }
  const subject = SUBJECTS.find((name) => next[name] !== undefined)
  const state = subject && next[subject]
  // Without a state that records the alert, every order of a flood would raise another one.
  if (subject === undefined || state === undefined) return { next, alerts: [] }
  const raised = recent(state.alerts, now_ms)
  const due = patterns.filter((pattern) => raised[pattern] === undefined)
  if (due.length === 0) return { next, alerts: [] }
  const alerts = { ...raised, ...Object.fromEntries(due.map((pattern) => [pattern, now_ms])) }
  return { next: { ...next, [subject]: { ...state, alerts } }, alerts: due }
}

function recent(alerts: AlertsState, now_ms: number): AlertsState {
  return Object.fromEntries(Object.entries(alerts).filter(([, at]) => now_ms - at < DAY_MS))
}
