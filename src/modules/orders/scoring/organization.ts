/**
 * Organization-wide habits for comparing new profiles: amounts by currency and order type, hours,
 * and orders per profile. A profile contributes at most once an hour, so no single one can bend
 * them.
 */
import { DAY_MS, HOUR_MS } from '../../../platform/time-units.ts'
import {
  type AmountContext,
  type AmountPrior,
  clamp,
  EMPTY_HOURS,
  EMPTY_LABELS,
  EMPTY_RARITY,
  learnHour,
  learnMoments,
  learnRarity,
  learnSeen,
  round,
  type TinyRateState,
} from '../../behavior/index.ts'
import type { OrderFacts } from './facts.ts'
import type { OrganizationAmounts, OrganizationHabit, OrganizationState } from './states.ts'

export const NEW_ORGANIZATION: OrganizationState = {
  v: 1,
  orders: 0,
  amounts: [],
  rarity: EMPTY_RARITY,
  hours: EMPTY_HOURS,
  habit: { orders: 0, days: 0 },
  labels: EMPTY_LABELS,
}

const AMOUNTS_MAX = 12
/** Many people are behind these numbers, so they adapt slowly. */
const MEMORY = 2000
/** Fewer orders of a type say less than all orders in the currency. */
const KNOWN_ORDERS = 5

/** @returns undefined while the organization has no orders in the currency */
export function priorOf(
  organization: OrganizationState | undefined,
  { currency, order_type }: Pick<OrderFacts, 'currency' | 'order_type'>,
): AmountPrior | undefined {
  let most: OrganizationAmounts | undefined
  for (const amounts of organization?.amounts ?? []) {
    if (amounts.currency !== currency) continue
    if (amounts.order_type === (order_type ?? 'other') && amounts.n >= KNOWN_ORDERS) return amounts
    if (most === undefined || amounts.n > most.n) most = amounts
  }
  return most
}

/**
 * Largest amount that counts as sold in a currency; for states without it, an amount far beyond
 * what they know.
 */
export function recordOf(
  organization: OrganizationState | undefined,
  currency: string,
): number | undefined {
  let most: number | undefined
  for (const amounts of organization?.amounts ?? []) {
    if (amounts.currency === currency) most = Math.max(most ?? 0, recordCents(amounts))
  }
  return most
}

const UNKNOWN_RECORD_SD = 6

function recordCents({ record_cents, mean, variance }: OrganizationAmounts): number {
  if (record_cents !== undefined) return record_cents
  return Math.round((mean + UNKNOWN_RECORD_SD * Math.sqrt(variance)) ** 2)
}

/**
 * What accounts without a history and guests do can be arranged by anybody, so it weighs little, and
 * what was flagged next to nothing.
 */
const STRANGER_WEIGHT = 0.2
const FLAGGED_WEIGHT = 0.02

export type OrganizationLesson = {
  /** False for a held-back order, which is still counted. */
  teaches: boolean
  /**
   * Time of the previous order by the same profile or, for an anonymous order, at the same
   * terminal, store, device or address; 0 if none
   */
  last_ms: number
  /** Standard deviations of the amount above what was usual */
  z: number | undefined
  /** Standard deviations of the amount above the usual one of the organization */
  shared_z: number | undefined
  who: AmountContext['who']
  isFlagged: boolean
  /** Rate of tiny orders including this one */
  tiny_rate: TinyRateState | undefined
}

const NO_RATE: Pick<OrganizationState, 'tiny_rate'> = {}

export function learnOrganization(
  state: OrganizationState,
  facts: OrderFacts,
  at_ms: number,
  {
    teaches,
    last_ms,
    z,
    shared_z,
    who,
    isFlagged,
    tiny_rate = state.tiny_rate,
  }: OrganizationLesson,
): OrganizationState {
  const orders = state.orders + 1
  const labels = learnSeen(state.labels, at_ms)
  const isNewHour = Math.floor(at_ms / HOUR_MS) > Math.floor(last_ms / HOUR_MS)
  const tiny = tiny_rate === undefined ? NO_RATE : { tiny_rate }
  if (!teaches || !isNewHour) return { ...state, ...tiny, orders, labels }
  const isStranger = who === 'young' || who === 'guest'
  const weight = (isStranger ? STRANGER_WEIGHT : 1) * (isFlagged ? FLAGGED_WEIGHT : 1)
  const { rarity, stranger_rarity = EMPTY_RARITY, shared_rarity = EMPTY_RARITY } = state
  const isSettled = who === 'settled'
  return {
    v: 1,
    orders,
    amounts: learnAmounts(state.amounts, facts, weight, isFlagged),
    rarity: z === undefined || !isSettled ? rarity : learnRarity(rarity, z),
    stranger_rarity:
      z === undefined || isSettled ? stranger_rarity : learnRarity(stranger_rarity, z, weight),
    shared_rarity:
      shared_z === undefined || !isSettled
        ? shared_rarity
        : learnRarity(shared_rarity, shared_z, weight),
    ...tiny,
    hours: learnHour(state.hours, facts.local_hour, at_ms),
    habit:
      facts.profile_id !== undefined && last_ms > 0
        ? learnHabit(state.habit, at_ms - last_ms)
        : state.habit,
    labels,
  }
}

/** Learns a held-back order once it was decided to be legitimate. */
export function learnLate(
  state: OrganizationState,
  facts: OrderFacts,
  at_ms: number,
): OrganizationState {
  return {
    ...state,
    amounts: learnAmounts(state.amounts, facts, 1, false),
    hours: learnHour(state.hours, facts.local_hour, at_ms),
  }
}

function learnAmounts(
  amounts: readonly OrganizationAmounts[],
  { currency, order_type = 'other', amount_cents }: OrderFacts,
  weight: number,
  isFlagged: boolean,
): readonly OrganizationAmounts[] {
  if (amount_cents <= 0) return amounts
  const own = amounts.find((a) => a.currency === currency && a.order_type === order_type)
  const fact = { currency, amount_cents }
  const before = own && recordCents(own)
  const learned = {
    ...learnMoments(own, fact, undefined, { weight, memory: MEMORY }),
    order_type,
    record_cents: isFlagged ? (before ?? 0) : Math.max(before ?? 0, amount_cents),
  }
  if (own !== undefined && own === amounts[0]) return amounts.with(0, learned)
  return [learned, ...amounts.filter((a) => a !== own).slice(0, AMOUNTS_MAX - 1)]
}

const GAP_MAX_DAYS = 60
const HABIT_ORDERS_MAX = 10_000

function learnHabit(habit: OrganizationHabit, gap_ms: number): OrganizationHabit {
  const fade = habit.orders >= HABIT_ORDERS_MAX ? 0.5 : 1
  const gap_days = Math.min(GAP_MAX_DAYS, gap_ms / DAY_MS)
  return { orders: round((habit.orders + 1) * fade), days: round((habit.days + gap_days) * fade) }
}

/** Usual orders per profile and day, starting from two pseudo-orders at `per_day`. */
export function ordersPerDay(habit: OrganizationHabit | undefined, per_day: number): number {
  const { orders, days } = habit ?? NEW_ORGANIZATION.habit
  return clamp((orders + 2) / (days + 2 / per_day), 0.01, 50)
}
