/**
 * Labels: how much of what a key saw lately turned out to be fraud. Decisions arrive days late and
 * are remembered for days from then on, counted from when they arrive (fraud research 3.1).
 */
import { DAY_MS, decay, round } from './numbers.ts'

export type LabelsState = {
  /** ms of the latest order or decision; 0 before there was one */
  readonly at: number
  /** Decayed counts: orders seen, and decisions */
  readonly seen: number
  readonly fraud: number
  readonly legitimate: number
}

export const EMPTY_LABELS: LabelsState = { at: 0, seen: 0, fraud: 0, legitimate: 0 }

export type Outcome = 'confirmed_fraud' | 'legitimate'

const HALF_LIFE_MS = 2 * DAY_MS
const PRIOR_ORDERS = 2
/** A terminal is compromised from one day to the next: what was before a fraud says less. */
const TURNING_POINT = 0.5

export function learnSeen(state: LabelsState, at_ms: number): LabelsState {
  return add(state, at_ms, 1, 0, 0)
}

/** Counts a decision. @param at_ms when it was decided, not when the order happened */
export function learnDecided(state: LabelsState, outcome: Outcome, at_ms: number): LabelsState {
  return outcome === 'confirmed_fraud' ? add(state, at_ms, 0, 1, 0) : add(state, at_ms, 0, 0, 1)
}

/**
 * Counts a decision about an order of the key.
 *
 * @param blame how much of a fraud is the key's own, 0-1
 */
export function learnLabel(
  state: LabelsState,
  outcome: Outcome,
  at_ms: number,
  blame = 1,
): LabelsState {
  if (outcome === 'legitimate') return add(state, at_ms, 0, 0, 1)
  const { seen, fraud, legitimate } = state
  const kept = 1 - TURNING_POINT * blame
  const undecided = Math.max(0, seen - fraud - legitimate)
  const turned = {
    at: state.at,
    seen: fraud + (legitimate + undecided) * kept,
    fraud,
    legitimate: legitimate * kept,
  }
  return add(turned, at_ms, 0, blame, 0)
}

/** Takes back what is left of a decision. */
export function forgetLabel(
  state: LabelsState,
  outcome: Outcome,
  decided_at_ms: number,
  blame = 1,
): LabelsState {
  const isFraud = outcome === 'confirmed_fraud'
  return add(state, decided_at_ms, 0, isFraud ? -blame : 0, isFraud ? 0 : -1)
}

function add(
  state: LabelsState,
  at_ms: number,
  seen: number,
  fraud: number,
  legitimate: number,
): LabelsState {
  const at = Math.max(state.at, at_ms)
  const kept = decay(state.at === 0 ? 0 : at - state.at, HALF_LIFE_MS)
  const left = decay(at - at_ms, HALF_LIFE_MS)
  return {
    at,
    seen: round(Math.max(0, state.seen * kept + seen * left)),
    fraud: round(Math.max(0, state.fraud * kept + fraud * left)),
    legitimate: round(Math.max(0, state.legitimate * kept + legitimate * left)),
  }
}

/**
 * Share of orders that get a decision, 0-1. Some decide every order, some only what was flagged,
 * some only the frauds; the last two leave most orders silently legitimate.
 */
export function coverage({ seen, fraud, legitimate }: LabelsState): number {
  return seen <= 0 ? 0 : Math.min(1, (fraud + legitimate) / seen)
}

/**
 * Probability of fraud from the decisions of a key, 0-1.
 *
 * @param covered share of the organisation's orders that get a decision
 */
export function labelRisk(state: LabelsState, covered: number, at_ms: number): number {
  if (state.fraud === 0) return 0
  const kept = decay(at_ms - state.at, HALF_LIFE_MS)
  const decided = state.fraud + state.legitimate
  return (state.fraud * kept) / ((decided + undecided(state, covered)) * kept + PRIOR_ORDERS)
}

/** Orders of the last days that nobody will decide, for a key of which a share of them is. */
export function silentOrders(state: LabelsState, covered: number, at_ms: number): number {
  return undecided(state, covered) * decay(at_ms - state.at, HALF_LIFE_MS)
}

const undecided = ({ seen, fraud, legitimate }: LabelsState, covered: number): number =>
  Math.max(0, seen - fraud - legitimate) * (1 - covered)
