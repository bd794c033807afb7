/**
 * What an organisation teaches its newcomers: amounts by currency and kind of order, hours, and how
 * often a profile orders. One profile teaches it at most once an hour, so that nobody can bend it.
 */
import {
  type AmountPrior,
  clamp,
  DAY_MS,
  EMPTY_HOURS,
  EMPTY_LABELS,
  EMPTY_RARITY,
  HOUR_MS,
  learnHour,
  learnMoments,
  learnRarity,
  learnSeen,
  round,
} from '../../behaviour/index.ts'
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
/** Many people are behind these numbers; they follow slowly. */
const MEMORY = 2000
/** A kind of order that was seen less often says less than the currency as a whole. */
const KNOWN_ORDERS = 10

/** @returns undefined while the organisation has no past in that currency */
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
 * @param teaches false for an order that is held back; it is counted all the same
 * @param z deviations of the amount above what was usual for whoever is behind the order
 * @param last_ms when the same profile, or whoever else is behind it, ordered last; 0 if never
 */
export function learnOrganization(
  state: OrganizationState,
  facts: OrderFacts,
  at_ms: number,
  { teaches, last_ms, z }: { teaches: boolean; last_ms: number; z: number | undefined },
): OrganizationState {
  const orders = state.orders + 1
  const labels = learnSeen(state.labels, at_ms)
  const isNewHour = Math.floor(at_ms / HOUR_MS) > Math.floor(last_ms / HOUR_MS)
  if (!teaches || !isNewHour) return { ...state, orders, labels }
  return {
    v: 1,
    orders,
    amounts: learnAmounts(state.amounts, facts),
    rarity: z === undefined ? state.rarity : learnRarity(state.rarity, z),
    hours: learnHour(state.hours, facts.local_hour, at_ms),
    habit:
      facts.profile_id !== undefined && last_ms > 0
        ? learnHabit(state.habit, at_ms - last_ms)
        : state.habit,
    labels,
  }
}

/** What an order that was held back teaches once it turned out to be legitimate. */
export function learnLate(
  state: OrganizationState,
  facts: OrderFacts,
  at_ms: number,
): OrganizationState {
  return {
    ...state,
    amounts: learnAmounts(state.amounts, facts),
    hours: learnHour(state.hours, facts.local_hour, at_ms),
  }
}

function learnAmounts(
  amounts: readonly OrganizationAmounts[],
  { currency, order_type = 'other', amount_cents }: OrderFacts,
): readonly OrganizationAmounts[] {
  if (amount_cents === 0) return amounts
  const own = amounts.find((a) => a.currency === currency && a.order_type === order_type)
  const fact = { currency, amount_cents }
  const learnt = {
    ...learnMoments(own, fact, undefined, { weight: 1, memory: MEMORY }),
    order_type,
  }
  if (own !== undefined && own === amounts[0]) return amounts.with(0, learnt)
  return [learnt, ...amounts.filter((a) => a !== own).slice(0, AMOUNTS_MAX - 1)]
}

const GAP_MAX_DAYS = 60
const HABIT_ORDERS_MAX = 10_000

function learnHabit(habit: OrganizationHabit, gap_ms: number): OrganizationHabit {
  const fade = habit.orders >= HABIT_ORDERS_MAX ? 0.5 : 1
  const gap_days = Math.min(GAP_MAX_DAYS, gap_ms / DAY_MS)
  return { orders: round((habit.orders + 1) * fade), days: round((habit.days + gap_days) * fade) }
}

/** Ordinary orders per profile and day, from two pseudo-orders at the given rate on. */
export function ordersPerDay(habit: OrganizationHabit | undefined, per_day: number): number {
  const { orders, days } = habit ?? NEW_ORGANIZATION.habit
  return clamp((orders + 2) / (days + 2 / per_day), 0.01, 50)
}
