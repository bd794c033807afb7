/**
 * Amounts: assesses how far an order lies above what its key usually spends. Running moments of the
 * square root of the amount, with outliers clipped before they are learned and a pull towards the
 * organization's usual amount while little is known (fraud research 3.1 and 3.3). Only ratios
 * matter, so currencies with zero or three decimals need no special treatment.
 */
import { type Assessment, QUIET } from './measurement.ts'
import { clamp, compact, logistic, readable, round } from './numbers.ts'
import { type RarityState, surpriseOf } from './rarity.ts'

export type MomentsState = {
  readonly currency: string
  /** Orders learned, up to a cap */
  readonly n: number
  /** Mean of the square roots of amounts in cents */
  readonly mean: number
  readonly variance: number
}

/** Moments per currency, most recently used first. */
export type AmountsState = readonly MomentsState[]

export const EMPTY_AMOUNTS: AmountsState = []

/** Usual amount when nothing is known about the key. */
export type AmountPrior = { readonly mean: number; readonly variance: number }

const CURRENCIES_MAX = 4
/** The newest order weighs at least 1/200: a long memory in which habits can change. */
const MEMORY = 200
/** Winsorizing: amounts further out are learned as if they were this far. */
const CLIP_SD = 2.5
/**
 * Coefficient of variation before a key's own is known: .6 for amounts is about .3 for their roots.
 */
const PRIOR_CV = 0.3
const PRIOR_WEIGHT = 4
/** Weight of the organization's mean, in orders. */
const MEAN_WEIGHT = 0.5
/** A customer who always pays the same amount can pay a little more. */
const CV_MIN = 0.1
const KNOWN_ORDERS = 5
/** With fewer orders there is no habit to depart from or to protect by clipping. */
const HABIT_ORDERS = 3

/** PARAMETER_TEXTS of the order scoring explains these numbers. */
export const AMOUNTS_PARAMETERS = {
  half_surprise: 3.5,
  steepness: 1.5,
  repeated_surprise: 0.7,
  stranger_score_max: 60,
  tiny_share: 0.15,
  tiny_score: 15,
}
export type AmountsParameters = Readonly<typeof AMOUNTS_PARAMETERS>

/** Expected square root of the next amount. */
export type Expectation = { readonly mean: number; readonly sd: number }

/** @returns undefined when neither the key nor its organization has orders in the currency */
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
  // The uncertainty of the key's own mean adds to the spread.
  const variance = within * (1 + 1 / (n + MEAN_WEIGHT))
  return { mean, sd: Math.max(Math.sqrt(variance), CV_MIN * mean, SD_MIN) }
}

/** A tenth of the root of one cent keeps z finite for keys with free orders only. */
const SD_MIN = 0.1

export type AmountContext = {
  /** Moments of the key in the currency of the order, before this order */
  own: MomentsState | undefined
  prior: AmountPrior | undefined
  rarity: RarityState
  /** Decayed sum of how unusual the key's recent amounts were, 0-1 each */
  unusual: number
}

export type AmountAssessment = Assessment & {
  /** Standard deviations above the usual amount; undefined while that is unknown */
  z: number | undefined
  /** How unusual the amount is by itself, 0-1; adds to the assessment of the next one */
  unusual: number
}

const UNUSUAL_SURPRISE = 2.2
const UNUSUAL_STEEPNESS = 2
const REPEATED_MAX = 2
/** Repetition makes a large amount more suspicious, but not a usual one. */
const REPEATED_Z = 0.5

export function assessAmount(
  { own, prior, rarity, unusual }: AmountContext,
  amount_cents: number,
  parameters: AmountsParameters,
): AmountAssessment {
  const expected = expectAmount(own, prior)
  if (expected === undefined || amount_cents <= 0) return NOT_ASSESSED
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

const NOT_ASSESSED: AmountAssessment = { ...QUIET, z: undefined, unusual: 0 }

export function momentsOf(state: AmountsState, currency: string): MomentsState | undefined {
  return state.find((moments) => moments.currency === currency)
}

export type AmountFact = { currency: string; amount_cents: number }

/** Learns an amount. Free orders and returns are skipped: they say nothing about spending. */
export function learnAmount(
  state: AmountsState,
  fact: AmountFact,
  prior: AmountPrior | undefined,
  weight: number,
): AmountsState {
  if (fact.amount_cents <= 0) return state
  const own = momentsOf(state, fact.currency)
  const learned = learnMoments(own, fact, prior, { weight, memory: MEMORY })
  if (own !== undefined && own === state[0]) return state.with(0, learned)
  const others = state.filter((moments) => moments !== own)
  return [learned, ...others.slice(0, CURRENCIES_MAX - 1)]
}

/**
 * @param weight 0-1, below 1 for an order that shares its vote with others
 * @param memory number of orders after which the weight of the newest stops shrinking
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
