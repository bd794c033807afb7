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

/** @param next states after the order was learned, so every key has one */
export function raiseAlerts(
  next: OrderStates,
  pattern: Measurement,
  now_ms: number,
  { flag_scores }: OrderParameters,
): { next: OrderStates; alerts: string[] } {
  const { finding, score } = pattern
  if (finding === null || score < flag_scores.pattern) return { next, alerts: [] }
  const subject = SUBJECTS.find((name) => next[name] !== undefined)
  const state = subject && next[subject]
  // Without a state that records the alert, every order of a flood would raise another one.
  if (subject === undefined || state === undefined) return { next, alerts: [] }
  const last = state.alerts[finding]
  if (last !== undefined && now_ms - last < DAY_MS) return { next, alerts: [] }
  const alerts = { ...recent(state.alerts, now_ms), [finding]: now_ms }
  return { next: { ...next, [subject]: { ...state, alerts } }, alerts: [finding] }
}

function recent(alerts: AlertsState, now_ms: number): AlertsState {
  return Object.fromEntries(Object.entries(alerts).filter(([, at]) => now_ms - at < DAY_MS))
}
