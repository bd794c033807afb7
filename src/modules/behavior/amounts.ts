/**
 * Amounts: assesses how far an order lies above what its key usually spends. Running moments of the
 * square root of the amount, with outliers clipped before they are learned and a pull towards the
 * organization's usual amount while little is known (fraud research 3.1 and 3.3). Only ratios
 * matter, so currencies with zero or three decimals need no special treatment.
 */
import { type Assessment, QUIET } from './measurement.ts'
import type { MomentsState } from './moments.ts'
import { clamp, compact, logistic, readable, round } from './numbers.ts'
import { type RarityState, surpriseOf } from './rarity.ts'
import { learnTrend, risingAmounts } from './trend.ts'

/** Moments per currency, most recently used first. */
export type AmountsState = readonly MomentsState[]

export const EMPTY_AMOUNTS: AmountsState = []

/** Amounts of the whole organization, with which strangers are compared. */
export type AmountPrior = {
  readonly mean: number
  readonly variance: number
  /** Orders behind the numbers; ten when unknown */
  readonly n?: number
}

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
/** The same at a terminal or store, where the customers are those of the organization. */
const PLACE_WEIGHT = 20
/** A customer who always pays the same amount can pay a little more. */
const CV_MIN = 0.1
/** Many customers together are never as regular as one. */
const ORGANIZATION_CV_MIN = 0.25
const ORGANIZATION_CV = 0.35
const ORGANIZATION_WEIGHT = 10
const KNOWN_ORDERS = 5
/** With fewer orders the level before a rise is not known. */
const TREND_ORDERS = 8
/** With fewer orders there is no habit to depart from or to protect by clipping. */
const HABIT_ORDERS = 3

/** PARAMETER_TEXTS of the order scoring explains these numbers. */
export const AMOUNTS_PARAMETERS = {
  half_surprise: 3.7,
  steepness: 2,
  repeated_surprise: 0.35,
  settled_orders: 3,
  settled_days: 7,
  settled_score_max: 97,
  stranger_score_max: 80,
  record_score: 75,
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

/** Expects what customers of the organization spend. */
function expectOfOrganization({
  mean,
  variance,
  n = ORGANIZATION_WEIGHT,
}: AmountPrior): Expectation {
  const usual = ORGANIZATION_CV * mean
  const within = (variance * n + usual * usual * ORGANIZATION_WEIGHT) / (n + ORGANIZATION_WEIGHT)
  return { mean, sd: Math.max(Math.sqrt(within), ORGANIZATION_CV_MIN * mean, SD_MIN) }
}

/** Expects what customers of the organization spend, and gradually those of the place. */
function expectAtPlace(own: MomentsState | undefined, organization: Expectation): Expectation {
  if (own === undefined) return organization
  const { mean, sd } = organization
  const share = own.n / (own.n + PLACE_WEIGHT)
  const here = mean + share * (own.mean - mean)
  const off = own.mean - here
  const within = share * (own.variance + off * off) + (1 - share) * sd * sd
  return { mean: here, sd: Math.max(Math.sqrt(within), CV_MIN * here, SD_MIN) }
}

/** A tenth of the root of one cent keeps z finite for keys with free orders only. */
const SD_MIN = 0.1

export type AmountContext = {
  /**
   * The customer: an account with a history, one without, someone at a terminal or store, or a
   * guest. Only the first is compared with itself alone.
   */
  who: 'settled' | 'young' | 'place' | 'guest'
  /** Moments of the key in the currency of the order, before this order */
  own: MomentsState | undefined
  prior: AmountPrior | undefined
  /** How rare amounts are among settled accounts, compared with themselves */
  rarity: RarityState
  /** How rare amounts are among all others, compared with the organization */
  stranger_rarity: RarityState
  /** How rare amounts are among settled accounts, compared with the organization */
  shared_rarity: RarityState
  /** Decayed sum of how unusual the key's recent amounts were, 0-1 each */
  unusual: number
  /** Decayed sum of the earlier amounts of the day by a young account, in cents */
  day_cents: number
  /** Largest amount that the organization regards as sold; undefined while unknown */
  record_cents: number | undefined
  at_ms: number
}

export type AmountAssessment = Assessment & {
  /**
   * Standard deviations above the usual amount: of the account if it is settled, otherwise of the
   * organization; undefined while that is unknown.
   */
  z: number | undefined
  /** Standard deviations above what the key itself usually spends; undefined while unknown */
  own_z: number | undefined
  /** Standard deviations above the usual amount of the organization; undefined while unknown */
  shared_z: number | undefined
  /** How unusual the amount is by itself, 0-1; adds to the assessment of the next one */
  unusual: number
  /** Whether the amount is unusual for the organization and for the profile. */
  waits: boolean
}

/** Amounts up to about 1.4 standard deviations above the usual are ordinary. */
const ORDINARY_STRENGTH = 3.5
const UNUSUAL_SURPRISE = 2.2
const UNUSUAL_STEEPNESS = 2
const REPEATED_MAX = 3
/** The sum of the day covers what a young account repeats. */
const REPEATED_STRANGER_MAX = 1
/** A record among orders of about the same amount is no surprise: one in a hundred. */
const RECORD_SURPRISE = 2

/** A comparison of an amount, or of several together, with what is usual. */
type Comparison = {
  expected: Expectation
  z: number
  surprise: number
  /** Highest strength */
  most: number
  numbers: Assessment['numbers']
}

export function assessAmount(
  context: AmountContext,
  amount_cents: number,
  parameters: AmountsParameters,
): AmountAssessment {
  if (amount_cents <= 0) return NOT_ASSESSED
  const organization = context.prior && expectOfOrganization(context.prior)
  const compared = comparisonsOf(context, organization, amount_cents, parameters)
  const [first] = compared
  if (first === undefined) return NOT_ASSESSED
  let worst = first
  for (const other of compared) if (other.surprise > worst.surprise) worst = other
  const { own, unusual, record_cents } = context
  const { expected, z, surprise, most } = worst
  const usual_cents = expected.mean * expected.mean
  const { half_surprise, steepness, repeated_surprise, tiny_score, tiny_share } = parameters
  const isTiny = amount_cents < tiny_share * usual_cents && (own?.n ?? 0) >= KNOWN_ORDERS
  const repeated_max = context.who === 'settled' ? REPEATED_MAX : REPEATED_STRANGER_MAX
  const repeated = repeated_surprise * Math.min(repeated_max, unusual)
  const rising = context.who === 'settled' ? risingAmounts(own, amount_cents, context.at_ms) : QUIET
  const isRecord =
    context.who !== 'settled' &&
    surprise >= RECORD_SURPRISE &&
    isBeyondRecord(context, amount_cents)
  const large = most * logistic(steepness * (surprise + repeated - half_surprise))
  const strength = isTiny
    ? tiny_score
    : Math.max(
        // A rise and the distance from what is usual by now are two observations.
        Math.min(most, large + rising.strength * (1 - large / 100)),
        rising.strength,
        isRecord ? parameters.record_score : 0,
      )
  const isOrdinary = strength === large && strength < ORDINARY_STRENGTH
  const score = isOrdinary ? 0 : Math.round(strength)
  const isRising = !isTiny && rising.strength > 0 && rising.strength >= large
  const numbers = {
    expected_cents: Math.round(usual_cents),
    z: readable(z),
    orders: Math.floor(own?.n ?? 0),
    ...worst.numbers,
    ...(isRecord && record_cents !== undefined && { record_cents }),
    ...(repeated >= 0.1 && { unusual_lately: readable(unusual) }),
    ...(isRising && rising.numbers),
  }
  const finding = isTiny ? 'unusually_small' : isRising ? rising.finding : 'unusually_large'
  return {
    score,
    strength,
    finding: score === 0 ? null : finding,
    numbers,
    z: first.z,
    own_z: own === undefined ? undefined : compared.at(-1)?.z,
    shared_z: organization && zOf(organization, amount_cents),
    unusual: logistic(UNUSUAL_STEEPNESS * (surprise - UNUSUAL_SURPRISE)),
    waits:
      surprise >= UNUSUAL_SURPRISE &&
      organization !== undefined &&
      strangeness(context, zOf(organization, amount_cents)) >= UNUSUAL_SURPRISE,
  }
}

/** A few orders do not show how much is sold. */
function isBeyondRecord(
  { record_cents, day_cents, prior }: AmountContext,
  amount_cents: number,
): boolean {
  if (record_cents === undefined) return false
  const known_cents = record_cents * (1 + RECORD_ORDERS / (prior?.n ?? ORGANIZATION_WEIGHT))
  return amount_cents > known_cents || day_cents + amount_cents > RECORD_SUM * known_cents
}

/** After this number of orders, an amount must be twice the record. */
const RECORD_ORDERS = 10

const NOT_ASSESSED: AmountAssessment = {
  ...QUIET,
  z: undefined,
  own_z: undefined,
  shared_z: undefined,
  unusual: 0,
  waits: false,
}

const zOf = ({ mean, sd }: Expectation, amount_cents: number): number =>
  (Math.sqrt(amount_cents) - mean) / sd

/** An amount of a stranger is no rarer than it is among settled accounts. */
const strangeness = (
  { stranger_rarity, shared_rarity }: Pick<AmountContext, 'stranger_rarity' | 'shared_rarity'>,
  z: number,
): number => Math.min(surpriseOf(stranger_rarity, z), surpriseOf(shared_rarity, z))

/**
 * Adds to the surprise of an amount that is large for a settled account when it is rare among all
 * settled accounts, too. Most of that counts only up to a medium score, because a business among
 * private customers pays such amounts.
 */
function withShared(
  surprise: number,
  { shared_rarity }: Pick<AmountContext, 'shared_rarity'>,
  organization: Expectation | undefined,
  amount_cents: number,
): number {
  if (organization === undefined) return surprise
  const rarity = surpriseOf(shared_rarity, zOf(organization, amount_cents))
  const shared = clamp(rarity - SHARED_SURPRISE, 0, SHARED_MAX)
  return Math.max(surprise + SHARED_WEIGHT * shared, Math.min(surprise + shared, SHARED_LIMIT))
}

const SHARED_Z = 1
const SHARED_SURPRISE = 2
const SHARED_MAX = 2
const SHARED_WEIGHT = 0.3
const SHARED_LIMIT = 3.6

/** The first comparison is the one from which the organization learns what is rare. */
function comparisonsOf(
  context: AmountContext,
  organization: Expectation | undefined,
  amount_cents: number,
  { settled_score_max, stranger_score_max }: AmountsParameters,
): Comparison[] {
  const { who, own, prior, rarity, stranger_rarity, day_cents } = context
  const itself = expectAmount(own, prior)
  if (who === 'settled') {
    if (itself === undefined) return []
    const z = zOf(itself, amount_cents)
    const own_surprise = surpriseOf(rarity, z)
    const surprise =
      z > SHARED_Z ? withShared(own_surprise, context, organization, amount_cents) : own_surprise
    return [{ expected: itself, z, surprise, most: settled_score_max, numbers: NO_NUMBERS }]
  }
  if (who === 'place' && organization !== undefined) {
    const expected = expectAtPlace(own, organization)
    const z = zOf(expected, amount_cents)
    const most = (own?.n ?? 0) < PLACE_WEIGHT ? stranger_score_max : settled_score_max
    return [{ expected, z, surprise: surpriseOf(stranger_rarity, z), most, numbers: NO_NUMBERS }]
  }
  const compared: Comparison[] = []
  if (organization !== undefined) {
    // A bust-out can be split, so the amounts of a day count together.
    const z = zOf(organization, EARLIER_SHARE * day_cents + amount_cents)
    const day = day_cents > 0 ? { day_cents: Math.round(day_cents + amount_cents) } : NO_NUMBERS
    const isLarge = zOf(organization, amount_cents) > LARGE_Z
    const most = isLarge ? stranger_score_max : Math.min(stranger_score_max, SUM_SCORE_MAX)
    const numbers = { compared_with: 'organization', ...day }
    const surprise = strangeness(context, z)
    compared.push({ expected: organization, z, surprise, most, numbers })
  }
  if (own !== undefined && itself !== undefined) {
    const z = zOf(itself, amount_cents)
    const surprise = surpriseOf(rarity, z)
    compared.push({ expected: itself, z, surprise, most: stranger_score_max, numbers: NO_NUMBERS })
  }
  return compared
}

/** Customers order twice more often than they buy twice as much. */
const EARLIER_SHARE = 0.3
/** Ordinary amounts that add up are not enough for a review alone. */
const SUM_SCORE_MAX = 25
const LARGE_Z = 4
/** Several orders on the first day are no surprise as long as no single one could replace them. */
const RECORD_SUM = 3

const NO_NUMBERS: Assessment['numbers'] = {}

export function momentsOf(state: AmountsState, currency: string): MomentsState | undefined {
  return state.find((moments) => moments.currency === currency)
}

export type AmountFact = { currency: string; amount_cents: number }

/**
 * Learns an amount. Free orders and returns are skipped: they say nothing about spending.
 *
 * @param at_ms time of an order by a profile, with which its trend is learned
 */
export function learnAmount(
  state: AmountsState,
  fact: AmountFact,
  prior: AmountPrior | undefined,
  { weight, at_ms }: { weight: number; at_ms?: number | undefined },
): AmountsState {
  if (fact.amount_cents <= 0) return state
  const own = momentsOf(state, fact.currency)
  const moments = learnMoments(own, fact, prior, { weight, memory: MEMORY })
  const trend =
    at_ms === undefined || moments.n < TREND_ORDERS
      ? undefined
      : learnTrend(own?.trend, moments, Math.sqrt(fact.amount_cents), { at_ms, weight })
  const learned = trend === undefined ? moments : { ...moments, trend }
  if (own !== undefined && own === state[0]) return state.with(0, learned)
  const others = state.filter((each) => each !== own)
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
