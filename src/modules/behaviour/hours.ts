/**
 * Hours: does somebody order at this time of the day? 24 bins by local hour, smoothed around the
 * clock, drawn towards the organisation's own histogram while little is known (fraud research 3.6).
 */
import { type Curve, interpolate } from '../risk/index.ts'
import type { Assessment } from './measurement.ts'
import { DAY_MS } from './numbers.ts'

export type HoursState = {
  /** ms at which an order weighs 1; a later one weighs more, so that the bins need not decay. */
  readonly origin: number
  /** 24 weights by local hour; none at all before the first order */
  readonly bins: readonly number[]
}

export const EMPTY_HOURS: HoursState = { origin: 0, bins: [] }

const HALF_LIFE_MS = 60 * DAY_MS
/** When a new order weighs so much, all bins are divided by it and the origin moves on. */
const WEIGHT_MAX = 64
const HALVINGS_MAX = 6
/** Weight of an even histogram below that of the organisation, in orders. */
const EVEN_ORDERS = 6

export type HoursParameters = {
  /** How many orders of a profile the organisation's histogram outweighs. */
  readonly prior_orders: number
  /** The most that the hour may say: 60 with a weight of .45 never reaches review on its own. */
  readonly score_max: number
}

export const HOURS_PARAMETERS: HoursParameters = { prior_orders: 12, score_max: 60 }

/**
 * Part of the signal as a function of -log10 of the share of orders at hours no more usual than
 * this one.
 */
const SURPRISE: Curve = [
  [1.38, 0],
  [2, 0.3],
  [3, 1],
]

/**
 * @param own not with this order yet
 * @param organization of the organisation as a whole
 */
export function assessHour(
  own: HoursState,
  organization: HoursState,
  local_hour: number,
  at_ms: number,
  { prior_orders, score_max }: HoursParameters,
): Assessment {
  const shareOf = sharesOf(own, organization, at_ms, prior_orders)
  const here = shareOf(local_hour)
  const numbers = { local_hour, hour_share: Math.round(here * 1e4) / 1e4 }
  // No rarer than an hour of the day is on average: already its own share is too much.
  if (here >= 1 / 24) return { score: 0, strength: 0, finding: null, numbers }
  let as_rare = 0
  for (let hour = 0; hour < 24; hour += 1) {
    const share = shareOf(hour)
    if (share <= here * (1 + 1e-9)) as_rare += share
  }
  const strength = score_max * interpolate(SURPRISE, -Math.log(as_rare) / Math.LN10)
  const score = Math.round(strength)
  return { score, strength, finding: score > 0 ? 'unusual_hour' : null, numbers }
}

/** Share of each hour; all of them add up to 1. */
function sharesOf(
  own: HoursState,
  organization: HoursState,
  at_ms: number,
  prior_orders: number,
): (hour: number) => number {
  const own_scale = 1 / weightAt(Math.max(at_ms, own.origin), own.origin)
  const all_scale = 1 / weightAt(Math.max(at_ms, organization.origin), organization.origin)
  const own_orders = total(own.bins) * own_scale + prior_orders
  const all_orders = total(organization.bins) * all_scale + EVEN_ORDERS
  return (hour) => {
    const even = EVEN_ORDERS / 24
    const prior = (around(organization.bins, hour) * all_scale + even) / all_orders
    return (around(own.bins, hour) * own_scale + prior_orders * prior) / own_orders
  }
}

function total(bins: readonly number[]): number {
  let sum = 0
  for (const bin of bins) sum += bin
  return sum
}

/** Weight of an hour smoothed with its neighbours around the clock. */
function around(bins: readonly number[], hour: number): number {
  const before = bins[hour === 0 ? 23 : hour - 1] ?? 0
  const next = bins[hour === 23 ? 0 : hour + 1] ?? 0
  return 0.25 * before + 0.5 * (bins[hour] ?? 0) + 0.25 * next
}

/** A late order adds what is left of it. */
export function learnHour(state: HoursState, local_hour: number, at_ms: number): HoursState {
  let { origin, bins } = state
  if (bins.length === 0) {
    origin = at_ms
    bins = NONE
  }
  let weight = weightAt(at_ms, origin)
  if (weight >= WEIGHT_MAX) {
    const passed = Math.floor((at_ms - origin) / HALF_LIFE_MS / HALVINGS_MAX) * HALVINGS_MAX
    const fade = Math.exp(-Math.LN2 * Math.min(passed, 60))
    bins = bins.map((bin) => rounded(bin * fade))
    origin += passed * HALF_LIFE_MS
    weight = weightAt(at_ms, origin)
  }
  const more = rounded(weight)
  if (more === 0 && bins === state.bins) return state
  const learnt = bins.slice()
  learnt[local_hour] = rounded((learnt[local_hour] ?? 0) + more)
  return { origin, bins: learnt }
}

const NONE: readonly number[] = Array.from({ length: 24 }, () => 0)

const weightAt = (at_ms: number, origin: number): number =>
  Math.exp((Math.LN2 * (at_ms - origin)) / HALF_LIFE_MS)

/** A twentieth of an order more or less does not matter, the size of the state does. */
const rounded = (value: number): number => Math.round(value * 10) / 10
