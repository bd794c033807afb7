/**
 * Labels: which share of a key's recent orders was confirmed as fraud. Decisions arrive days late,
 * so they decay from their arrival and not from the order (fraud research 3.1).
 */
import { DAY_MS } from '../../platform/time-units.ts'
import { decay, round } from './numbers.ts'

export type LabelsState = {
  /** Time of the latest order or decision in ms; 0 before the first */
  readonly at: number
  /** Decayed counts of orders and decisions */
  readonly seen: number
  readonly fraud: number
  readonly legitimate: number
}

export const EMPTY_LABELS: LabelsState = { at: 0, seen: 0, fraud: 0, legitimate: 0 }

export type Outcome = 'confirmed_fraud' | 'legitimate'

const HALF_LIFE_MS = 2 * DAY_MS
const PRIOR_ORDERS = 2
/** Terminals are compromised suddenly, so what precedes a fraud counts less. */
const TURNING_POINT = 0.5

export function learnSeen(state: LabelsState, at_ms: number): LabelsState {
  return add(state, at_ms, { seen: 1 })
}

/** Counts a decision. @param at_ms time of the decision, not of the order */
export function learnDecided(state: LabelsState, outcome: Outcome, at_ms: number): LabelsState {
  return add(state, at_ms, outcome === 'confirmed_fraud' ? { fraud: 1 } : { legitimate: 1 })
}

/**
 * Counts a decision about an order of the key.
 *
 * @param blame share of the fraud that the key is responsible for, 0-1
 */
export function learnLabel(
  state: LabelsState,
  outcome: Outcome,
  at_ms: number,
  blame = 1,
): LabelsState {
  if (outcome === 'legitimate') return add(state, at_ms, { legitimate: 1 })
  const { seen, fraud, legitimate } = state
  const remaining = 1 - TURNING_POINT * blame
  const undecided = Math.max(0, seen - fraud - legitimate)
  const turned = {
    at: state.at,
    seen: fraud + (legitimate + undecided) * remaining,
    fraud,
    legitimate: legitimate * remaining,
  }
  return add(turned, at_ms, { fraud: blame })
}

/** Takes back the remaining weight of a decision. */
export function forgetLabel(
  state: LabelsState,
  outcome: Outcome,
  decided_at_ms: number,
  blame = 1,
): LabelsState {
  const isFraud = outcome === 'confirmed_fraud'
  return add(state, decided_at_ms, isFraud ? { fraud: -blame } : { legitimate: -1 })
}

function add(
  state: LabelsState,
  at_ms: number,
  { seen = 0, fraud = 0, legitimate = 0 }: Partial<Omit<LabelsState, 'at'>>,
): LabelsState {
  const at = Math.max(state.at, at_ms)
  const remaining = decay(state.at === 0 ? 0 : at - state.at, HALF_LIFE_MS)
  const left = decay(at - at_ms, HALF_LIFE_MS)
  return {
    at,
    seen: round(Math.max(0, state.seen * remaining + seen * left)),
    fraud: round(Math.max(0, state.fraud * remaining + fraud * left)),
    legitimate: round(Math.max(0, state.legitimate * remaining + legitimate * left)),
  }
}

/**
 * Share of orders that get a decision, 0-1. Some organizations decide every order, others only
 * flagged ones or only frauds and thereby leave most orders silently legitimate.
 */
export function coverage({ seen, fraud, legitimate }: LabelsState): number {
  return seen <= 0 ? 0 : Math.min(1, (fraud + legitimate) / seen)
}

/**
 * Probability of fraud by the decisions about a key, 0-1.
 *
 * @param covered share of the organization's orders that get a decision
 */
export function labelRisk(state: LabelsState, covered: number, at_ms: number): number {
  if (state.fraud === 0) return 0
  const remaining = decay(at_ms - state.at, HALF_LIFE_MS)
  const decided = state.fraud + state.legitimate
  return (
    (state.fraud * remaining) / ((decided + undecided(state, covered)) * remaining + PRIOR_ORDERS)
  )
}

const undecided = ({ seen, fraud, legitimate }: LabelsState, covered: number): number =>
  Math.max(0, seen - fraud - legitimate) * (1 - covered)
