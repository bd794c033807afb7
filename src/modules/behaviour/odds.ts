/**
 * Odds that something was tampered with, as review decisions make them: a terminal turns bad from one
 * day to the next and is repaired again, so that a few decisions of late say more than their share
 * among all of them. Natural logarithms above the odds of an ordinary terminal, between two bounds;
 * they fade over weeks (fraud research 3.1; two states, stay or change, in a form that can be taken
 * back). Times are ms since 1970.
 */
import type { Outcome } from './labels.ts'
import { clamp, DAY_MS, decay, round } from './numbers.ts'

export type OddsState = {
  /** ms of the latest decision */
  readonly at: number
  readonly odds: number
  /** What frauds since the last legitimate order said beyond the upper bound. */
  readonly over: number
}

const HALF_LIFE_MS = 28 * DAY_MS
const FRAUD = 5
const LEGITIMATE = 2
/** However long something was honest, one fraud is as much; however bad it was, some days clear it. */
const ODDS_MAX = 9
/** Odds of an ordinary terminal are e^-6, one in 400. */
const ORDINARY = 6

/**
 * Counts a decision.
 *
 * @param blame how much of a fraud is the key's own, 0-1
 * @returns undefined, or the same state, while there is nothing to say
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
 * Takes back what is left of a decision. A fraud is taken from what went beyond the bound first; a
 * legitimate order changed nothing where the odds are at their lower bound.
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
  const kept = state === undefined ? 0 : decay(at - state.at, HALF_LIFE_MS)
  const odds = (state?.odds ?? 0) * kept + by * decay(at - at_ms, HALF_LIFE_MS)
  const over = by < 0 ? 0 : (state?.over ?? 0) * kept + Math.max(0, odds - ODDS_MAX)
  return { at, odds: round(clamp(odds, 0, ODDS_MAX)), over: round(over) }
}

/**
 * Probability that it is tampered with, 0-1; 0 where nothing was ever decided.
 *
 * @param silent orders of the last days that nobody will decide, which are taken to be legitimate
 */
export function oddsRisk(state: OddsState | undefined, silent: number, at_ms: number): number {
  if (state === undefined || state.odds === 0) return 0
  const odds = state.odds * decay(at_ms - state.at, HALF_LIFE_MS) - SILENT * silent
  return Math.max(0, sigmoid(odds - ORDINARY) - sigmoid(-ORDINARY))
}

/** What one silent order says: half of what one says that somebody called legitimate. */
const SILENT = 1

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))
