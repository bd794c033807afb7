/**
 * Outcomes of the orders at a terminal or store: decayed counts of orders, frauds and legitimate
 * orders over about 1, 7 and 30 days, from which a logistic function with fixed weights estimates
 * the probability that the next order there is fraud. Three horizons distinguish a terminal that has turned
 * bad from one that always has some fraud, and from one that was repaired. Decisions arrive days
 * late, so they decay from their arrival. Times are in ms since 1970.
 */
import { DAY_MS } from '../../platform/time-units.ts'
import type { LabelsState, Outcome } from './labels.ts'
import { decay, logistic, round } from './numbers.ts'

type Counts = readonly [day: number, week: number, month: number]

export type OutcomesState = {
  /** Time of the latest order or decision in ms; 0 before the first */
  readonly at: number
  /** Orders, whether decided or not */
  readonly seen: Counts
  readonly fraud: Counts
  readonly legitimate: Counts
}

const NONE: Counts = [0, 0, 0]
export const EMPTY_OUTCOMES: OutcomesState = { at: 0, seen: NONE, fraud: NONE, legitimate: NONE }

const HALF_LIVES = [DAY_MS, 7 * DAY_MS, 30 * DAY_MS] as const

/** Reads the counts of earlier versions, which had one horizon of two days. */
export function outcomesOf({ at, seen, fraud, legitimate }: LabelsState): OutcomesState {
  const all = (count: number): Counts => [count, count, count]
  return { at, seen: all(seen), fraud: all(fraud), legitimate: all(legitimate) }
}

export const learnSeenOutcome = (state: OutcomesState, at_ms: number): OutcomesState =>
  add(state, at_ms, { seen: 1 })

/**
 * Counts a decision.
 *
 * @param blame share of the fraud that the key is responsible for, 0-1
 */
export function learnOutcome(
  state: OutcomesState,
  outcome: Outcome,
  at_ms: number,
  blame = 1,
): OutcomesState {
  return add(state, at_ms, outcome === 'confirmed_fraud' ? { fraud: blame } : { legitimate: 1 })
}

/** Takes back the remaining weight of a decision. */
export function forgetOutcome(
  state: OutcomesState,
  outcome: Outcome,
  decided_at_ms: number,
  blame = 1,
): OutcomesState {
  const isFraud = outcome === 'confirmed_fraud'
  return add(state, decided_at_ms, isFraud ? { fraud: -blame } : { legitimate: -1 })
}

function add(
  state: OutcomesState,
  at_ms: number,
  { seen = 0, fraud = 0, legitimate = 0 }: Partial<Record<'seen' | 'fraud' | 'legitimate', number>>,
): OutcomesState {
  const at = Math.max(state.at, at_ms)
  const remaining = decays(state.at === 0 ? 0 : at - state.at)
  const left = decays(at - at_ms)
  return {
    at,
    seen: added(state.seen, remaining, seen, left),
    fraud: added(state.fraud, remaining, fraud, left),
    legitimate: added(state.legitimate, remaining, legitimate, left),
  }
}

const decays = (elapsed_ms: number): Counts => [
  decay(elapsed_ms, HALF_LIVES[0]),
  decay(elapsed_ms, HALF_LIVES[1]),
  decay(elapsed_ms, HALF_LIVES[2]),
]

const added = (counts: Counts, remaining: Counts, more: number, left: Counts): Counts => [
  round(Math.max(0, counts[0] * remaining[0] + more * left[0])),
  round(Math.max(0, counts[1] * remaining[1] + more * left[1])),
  round(Math.max(0, counts[2] * remaining[2] + more * left[2])),
]

/** Weights of the logarithms of the counts. */
type Model = { readonly bias: number; readonly fraud: Counts; readonly legitimate: Counts }

/**
 * Fitted to simulated terminals with 0.3 to 150 orders a day. Frauds last for 5 days to a year,
 * make up 2 to 100 % of the orders, and are known after 1, 7 or 14 days; checked on others. A
 * further fraud never lowers the probability, because the counts of a longer horizon are never
 * smaller.
 */
const DECIDED: Model = { bias: -1, fraud: [0.8, 1.6, -0.75], legitimate: [-2.1, 2.7, -1.65] }
/** The same where only frauds are decided, and all other orders are taken to be legitimate. */
const SILENT: Model = { bias: 1.8, fraud: [0.75, 2.05, -1.4], legitimate: [-0.55, 0.5, -1.2] }
/** The undecided orders include the frauds of the last days. */
const SILENT_SHARE = 0.5
const FRAUD_ORDERS = 0.05
const LEGITIMATE_ORDERS = 0.2

/**
 * Probability that the decisions about a key raise for its next order, 0-1; 0 without a fraud.
 *
 * @param covered share of the organization's orders that get a decision
 */
export function outcomeRisk(state: OutcomesState, covered: number, at_ms: number): number {
  if (state.fraud[2] === 0) return 0
  const remaining = decays(at_ms - state.at)
  const open = 1 - covered
  const blend = (decided: number, silent: number): number => covered * decided + open * silent
  let without = blend(DECIDED.bias, SILENT.bias)
  let more = 0
  for (const i of HORIZONS) {
    const fraud = state.fraud[i]
    const legitimate = state.legitimate[i]
    const silent = SILENT_SHARE * open * Math.max(0, state.seen[i] - fraud - legitimate)
    const honest = Math.log(remaining[i] * (legitimate + silent) + LEGITIMATE_ORDERS)
    const weight = blend(DECIDED.fraud[i], SILENT.fraud[i])
    without += honest * blend(DECIDED.legitimate[i], SILENT.legitimate[i])
    without += weight * Math.log(FRAUD_ORDERS)
    more += weight * Math.log1p((remaining[i] * fraud) / FRAUD_ORDERS)
  }
  return Math.max(0, logistic(without + more) - logistic(without))
}

const HORIZONS = [0, 1, 2] as const
