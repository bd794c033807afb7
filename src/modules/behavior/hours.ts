/**
 * Hours: assesses whether a profile usually orders at this time of day. 24 bins by local hour,
 * smoothed around the clock, with a pull towards the organization's histogram while little is known
 * (fraud research 3.6).
 */
import { DAY_MS } from '../../platform/time-units.ts'
import { curve, interpolate } from '../risk/index.ts'
import { type Assessment, assessed, QUIET } from './measurement.ts'

export type HoursState = {
  /** Time in ms at which an order weighs 1; later ones weigh more, so that bins need not decay. */
  readonly origin: number
  /** 24 weights by local hour; empty before the first order */
  readonly bins: readonly number[]
}

export const EMPTY_HOURS: HoursState = { origin: 0, bins: [] }

const HALF_LIFE_MS = 60 * DAY_MS
/** When a new order weighs this much, all bins are scaled down and the origin moves on. */
const WEIGHT_MAX = 64
const HALVINGS_MAX = 6
/** Weight of a uniform histogram under that of the organization, in orders. */
const EVEN_ORDERS = 6

/** Explained by PARAMETER_TEXTS. 60 with a weight of .45 never reaches review alone. */
export const HOURS_PARAMETERS = { prior_orders: 12, score_max: 60 }
export type HoursParameters = Readonly<typeof HOURS_PARAMETERS>

/**
 * Part of the signal as a function of -log10 of the share of orders at hours no more usual than
 * this one.
 */
const SURPRISE = curve({ 1.38: 0, 2: 0.3, 3: 1 })

/** Assesses a local hour by the hours of the profile and its organization before the order. */
export function assessHour(
  { own, organization }: { own: HoursState; organization: HoursState },
  local_hour: number,
  at_ms: number,
  { prior_orders, score_max }: HoursParameters,
): Assessment {
  const shareOf = sharesOf(own, organization, at_ms, prior_orders)
  const here = shareOf(local_hour)
  const numbers = { local_hour, hour_share: Math.round(here * 1e4) / 1e4 }
  // The hour is no rarer than the average hour of the day.
  if (here >= 1 / 24) return { ...QUIET, numbers }
  let as_rare = 0
  for (let hour = 0; hour < 24; hour += 1) {
    const share = shareOf(hour)
    if (share <= here * (1 + 1e-9)) as_rare += share
  }
  const strength = score_max * interpolate(SURPRISE, -Math.log(as_rare) / Math.LN10)
  return assessed(strength, 'unusual_hour', numbers)
}

/** Returns the share of each hour; the shares add up to 1. */
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

/** Returns the weight of an hour, smoothed with its neighbors around the clock. */
function around(bins: readonly number[], hour: number): number {
  const before = bins[hour === 0 ? 23 : hour - 1] ?? 0
  const next = bins[hour === 23 ? 0 : hour + 1] ?? 0
  return 0.25 * before + 0.5 * (bins[hour] ?? 0) + 0.25 * next
}

/** Adds an order; a late one adds its decayed weight. */
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
  const learned = bins.slice()
  learned[local_hour] = rounded((learned[local_hour] ?? 0) + more)
  return { origin, bins: learned }
}

const NONE: readonly number[] = Array.from({ length: 24 }, () => 0)

const weightAt = (at_ms: number, origin: number): number =>
  Math.exp((Math.LN2 * (at_ms - origin)) / HALF_LIFE_MS)

/** The size of the state matters more than a twentieth of an order. */
const rounded = (value: number): number => Math.round(value * 10) / 10
