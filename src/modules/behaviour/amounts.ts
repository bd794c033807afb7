/**
 * Amounts: how far an order lies above what this key usually spends. Running moments of the square
 * root of the amount, with outliers clipped before they are learnt, drawn towards what is ordinary
 * for the organisation while little is known (fraud research 3.1 and 3.3). Only ratios matter, so
 * currencies with no or three decimals need nothing of their own.
 */
import type { Assessment } from './measurement.ts'
import { clamp, compact, readable, round } from './numbers.ts'
import { type RarityState, surpriseOf } from './rarity.ts'

export type MomentsState = {
  readonly currency: string
  /** Orders learnt, counted up to a cap */
  readonly n: number
  /** Of the square root of the amount in cents */
  readonly mean: number
  readonly variance: number
}

/** Per currency, most recently used first. */
export type AmountsState = readonly MomentsState[]

export const EMPTY_AMOUNTS: AmountsState = []

/** What is ordinary for orders of which nothing else is known. */
export type AmountPrior = { readonly mean: number; readonly variance: number }

const CURRENCIES_MAX = 4
/** From here on the newest order weighs 1/200: long memory, yet habits may change. */
const MEMORY = 200
/** Winsorising: what lies further out teaches as if it lay here. */
const CLIP_SD = 2.5
/** Spread of one key's amounts before it is known: cv .6 of amounts is about .3 of their roots. */
const PRIOR_CV = 0.3
const PRIOR_WEIGHT = 4
/** Weight of the organisation's mean, in orders. */
const MEAN_WEIGHT = 0.5
/** Somebody who always pays the same may pay a little more. */
const CV_MIN = 0.1
const KNOWN_ORDERS = 5
/** Below so many orders there is no habit to depart from, and none to protect by clipping. */
const HABIT_ORDERS = 3

export type AmountsParameters = {
  /** -log10 of the share of orders that lie as far out, at which the signal is 50. */
  readonly half_surprise: number
  /** How fast the signal grows there, per power of ten. */
  readonly steepness: number
  /** How much of a power of ten each unusual amount of the last days adds to the next. */
  readonly repeated_surprise: number
  /** The most that an amount says of a key with hardly any past: it may be a large customer. */
  readonly stranger_score_max: number
  /** An order below this share of what is usual is tiny: the size that stolen cards are tried with. */
  readonly tiny_share: number
  /** What a tiny order says of a profile that is known to spend more. */
  readonly tiny_score: number
}

export const AMOUNTS_PARAMETERS: AmountsParameters = {
  half_surprise: 3.5,
  steepness: 1.5,
  repeated_surprise: 0.7,
  stranger_score_max: 60,
  tiny_share: 0.15,
  tiny_score: 15,
}

/** What to expect of the next order. */
export type Expectation = { readonly mean: number; readonly sd: number }

/** @returns undefined when neither the key nor its organisation has a past in that currency */
export function expectAmount(
  own: MomentsState | undefined,
  prior: AmountPrior | undefined,
): Expectation | undefined {
  const n = own?.n ?? 0
  const from = prior?.mean ?? own?.mean
  if (from === undefined) return undefined
  const mean = ((own?.mean ?? 0) * n + MEAN_WEIGHT * from) / (n + MEAN_WEIGHT)
  const habit = PRIOR_CV * mean
  const within = ((own?.variance ?? 0) * n + PRIOR_WEIGHT * habit * habit) / (n + PRIOR_WEIGHT)
  // What is not known yet of the key's own mean adds to the spread.
  const variance = within * (1 + 1 / (n + MEAN_WEIGHT))
  return { mean, sd: Math.max(Math.sqrt(variance), CV_MIN * mean, SD_MIN) }
}

/** A tenth of the root of one cent: keeps z finite for keys that only see free orders. */
const SD_MIN = 0.1

export type AmountContext = {
  /** Moments of the key in the currency of the order, this order not learnt yet */
  own: MomentsState | undefined
  prior: AmountPrior | undefined
  rarity: RarityState
  /** Decayed sum of how unusual the key's amounts were lately, 0-1 each */
  unusual: number
}

export type AmountAssessment = Assessment & {
  /** Standard deviations above the usual; undefined when nothing is usual yet */
  z: number | undefined
  /** How unusual the amount is in itself, 0-1: what counts when the next one is judged */
  unusual: number
}

const UNUSUAL_SURPRISE = 2.2
const UNUSUAL_STEEPNESS = 2
const REPEATED_MAX = 2
/** Repetition makes a large amount stranger, not an ordinary one. */
const REPEATED_Z = 0.5

export function assessAmount(
  { own, prior, rarity, unusual }: AmountContext,
  amount_cents: number,
  parameters: AmountsParameters,
): AmountAssessment {
  const expected = expectAmount(own, prior)
  if (expected === undefined || amount_cents === 0) return NOT_ASSESSED
  const z = (Math.sqrt(amount_cents) - expected.mean) / expected.sd
  const usual_cents = expected.mean * expected.mean
  const isTiny = amount_cents < parameters.tiny_share * usual_cents && (own?.n ?? 0) >= KNOWN_ORDERS
  const { half_surprise, steepness, repeated_surprise, tiny_score } = parameters
  const surprise = surpriseOf(rarity, z)
  const repeated = z > REPEATED_Z ? repeated_surprise * Math.min(REPEATED_MAX, unusual) : 0
  const most = (own?.n ?? 0) < HABIT_ORDERS ? parameters.stranger_score_max : 100
  const strength = isTiny
    ? tiny_score
    : Math.min(most, 100 * logistic(steepness * (surprise + repeated - half_surprise)))
  const score = Math.round(strength)
  return {
    score,
    strength,
    finding: score === 0 ? null : isTiny ? 'unusually_small' : 'unusually_large',
    numbers: {
      expected_cents: Math.round(usual_cents),
      z: readable(z),
      orders: Math.floor(own?.n ?? 0),
      ...(repeated >= 0.1 && { unusual_lately: readable(unusual) }),
    },
    z,
    unusual: logistic(UNUSUAL_STEEPNESS * (surprise - UNUSUAL_SURPRISE)),
  }
}

const NOT_ASSESSED: AmountAssessment = {
  score: 0,
  strength: 0,
  finding: null,
  numbers: {},
  z: undefined,
  unusual: 0,
}

const logistic = (x: number): number => 1 / (1 + Math.exp(-x))

export function momentsOf(state: AmountsState, currency: string): MomentsState | undefined {
  for (const moments of state) if (moments.currency === currency) return moments
  return undefined
}

export type AmountFact = { currency: string; amount_cents: number }

/** Free orders teach nothing: they say nothing of what somebody spends. */
export function learnAmount(
  state: AmountsState,
  fact: AmountFact,
  prior: AmountPrior | undefined,
  weight: number,
): AmountsState {
  if (fact.amount_cents === 0) return state
  const own = momentsOf(state, fact.currency)
  const learnt = learnMoments(own, fact, prior, { weight, memory: MEMORY })
  if (own !== undefined && own === state[0]) return state.with(0, learnt)
  const others = state.filter((moments) => moments !== own)
  return [learnt, ...others.slice(0, CURRENCIES_MAX - 1)]
}

/**
 * @param weight 0-1, of an order that shares its vote with others
 * @param memory orders after which the newest keeps its weight instead of losing it
 */
export function learnMoments(
  own: MomentsState | undefined,
  { currency, amount_cents }: AmountFact,
  prior: AmountPrior | undefined,
  { weight, memory }: { weight: number; memory: number },
): MomentsState {
  const root = Math.sqrt(amount_cents)
  const expected = expectAmount(own, prior)
  const x =
    expected === undefined || (own?.n ?? 0) < HABIT_ORDERS
      ? root
      : clamp(root, expected.mean - CLIP_SD * expected.sd, expected.mean + CLIP_SD * expected.sd)
  if (own === undefined) return { currency, n: 1, mean: compact(x), variance: 0 }
  const n = Math.min(memory, own.n + weight)
  const rate = Math.min(1, weight / n)
  const off = x - own.mean
  return {
    currency,
    n: round(n),
    mean: compact(own.mean + rate * off),
    variance: compact((1 - rate) * (own.variance + rate * off * off)),
  }
}
