/**
 * Odds that a terminal was tampered with, from review decisions. Terminals turn bad suddenly and
 * get repaired, so the latest decisions count more than their share. Natural logarithms above the
 * odds of an ordinary terminal, between two bounds, that fade over weeks (fraud research 3.1: a
 * two-state model in a form that can be taken back). Times are in ms since 1970.
 */
import { DAY_MS } from '../../platform/time-units.ts'
import type { Outcome } from './labels.ts'
import { clamp, decay, logistic, round } from './numbers.ts'

export type OddsState = {
  /** Time of the latest decision in ms */
  readonly at: number
  readonly odds: number
  /** Excess over the upper bound by frauds since the last legitimate order. */
  readonly over: number
}

const HALF_LIFE_MS = 28 * DAY_MS
const FRAUD = 5
const LEGITIMATE = 2
/**
 * The bounds make one fraud count the same after any honest past, and let some honest days clear
 * any bad one.
 */
const ODDS_MAX = 9
/** The odds of an ordinary terminal are e^-6, one in 400. */
const ORDINARY = 6

/**
 * Counts a decision.
 *
 * @param blame share of the fraud that the key is responsible for, 0-1
 * @returns undefined, or the same state, while nothing speaks against the terminal
 */
export function learnOdds(
  state: OddsState | undefined,
  outcome: Outcome,
  at_ms: number,
  blame = 1,
): OddsState | undefined {
  if (outcome === 'confirmed_fraud') {
    return blame > 0 ? moved(state, at_ms, FRAUD * blame) : state
  }
  return state === undefined || state.odds === 0 ? state : moved(state, at_ms, -LEGITIMATE)
}

/**
 * Takes back the remaining weight of a decision. A fraud is taken from the excess over the bound
 * first; a legitimate order had no effect when the odds were at their lower bound.
 */
export function forgetOdds(
  state: OddsState | undefined,
  outcome: Outcome,
  decided_at_ms: number,
  blame = 1,
): OddsState | undefined {
  if (state === undefined || state.odds === 0) return state
  if (outcome === 'legitimate') return moved(state, decided_at_ms, LEGITIMATE)
  const left = FRAUD * blame * decay(state.at - decided_at_ms, HALF_LIFE_MS)
  const odds = Math.min(state.odds, state.odds + state.over - left)
  return {
    at: state.at,
    odds: round(Math.max(0, odds)),
    over: round(Math.max(0, state.over - left)),
  }
}

function moved(state: OddsState | undefined, at_ms: number, by: number): OddsState {
  const at = Math.max(state?.at ?? at_ms, at_ms)
  const remaining = state === undefined ? 0 : decay(at - state.at, HALF_LIFE_MS)
  const odds = (state?.odds ?? 0) * remaining + by * decay(at - at_ms, HALF_LIFE_MS)
  const over = by < 0 ? 0 : (state?.over ?? 0) * remaining + Math.max(0, odds - ODDS_MAX)
  return { at, odds: round(clamp(odds, 0, ODDS_MAX)), over: round(over) }
}

/**
 * Probability of tampering, 0-1; 0 when no fraud was ever decided.
 *
 * @param silent recent orders that will not be decided, taken to be legitimate
 */
export function oddsRisk(state: OddsState | undefined, silent: number, at_ms: number): number {
  if (state === undefined || state.odds === 0) return 0
  const odds = state.odds * decay(at_ms - state.at, HALF_LIFE_MS) - SILENT * silent
  return Math.max(0, logistic(odds - ORDINARY) - logistic(-ORDINARY))
}

/** Weight of a silent order: half of one that was decided to be legitimate. */
const SILENT = 1
