/**
 * Trend of the amounts of a profile: an attacker who raises them a little with every order stays
 * close to their running mean. A second level follows that mean by no more than a fraction a day,
 * and the recent orders are compared with it. Times are in ms since 1970.
 */
import { DAY_MS } from '../../platform/time-units.ts'
import { curve, interpolate } from '../risk/index.ts'
import { type Assessment, QUIET } from './measurement.ts'
import type { MomentsState, TrendState } from './moments.ts'
import { clamp, compact, readable, round } from './numbers.ts'

/** The level rises by at most .3 % a day, which is a fifth more to spend in a month. */
const RISE_PER_DAY = 0.003
const DAYS_MAX = 365
/** Weight of the newest order. */
const NEWEST = 0.25
const DISTANCE_MIN = -1
const DISTANCE_MAX = 3
const SD_MIN_SHARE = 0.3
/** An ordinary order of an account is not suspicious for what came before it. */
const LARGE = 1

/** Strength by the mean distance of recent orders. */
const RISING = curve({ 1.35: 0, 1.7: 60, 1.85: 74, 3: 90 })

export function learnTrend(
  state: TrendState | undefined,
  { mean, variance }: MomentsState,
  root: number,
  { at_ms, weight }: { at_ms: number; weight: number },
): TrendState {
  const day = Math.floor(at_ms / DAY_MS)
  const sd = Math.max(Math.sqrt(variance), SD_MIN_SHARE * mean)
  if (state === undefined) return { level: compact(mean), sd: compact(sd), rise: 0, day }
  const { level, sd: sd_before } = levelAt(state, at_ms)
  const distance = clamp((root - level) / sd_before, DISTANCE_MIN, DISTANCE_MAX)
  return {
    level: compact(Math.min(mean, level)),
    sd: compact(Math.min(sd, sd_before)),
    rise: round(state.rise + weight * NEWEST * (distance - state.rise)),
    day: Math.max(day, state.day),
  }
}

/** Takes the running mean as usual, once a person decided that a large order was legitimate. */
export function acceptTrend(moments: MomentsState): MomentsState {
  const { trend, mean, variance } = moments
  if (trend === undefined) return moments
  const sd = Math.max(Math.sqrt(variance), SD_MIN_SHARE * mean)
  return { ...moments, trend: { ...trend, level: compact(mean), sd: compact(sd), rise: 0 } }
}

/** @returns finding `rising_amounts` */
export function risingAmounts(
  own: MomentsState | undefined,
  amount_cents: number,
  at_ms: number,
): Assessment {
  if (own?.trend === undefined) return QUIET
  const { level, sd } = levelAt(own.trend, at_ms)
  const distance = clamp((Math.sqrt(amount_cents) - level) / sd, DISTANCE_MIN, DISTANCE_MAX)
  if (distance < LARGE) return QUIET
  const { rise } = own.trend
  const strength = interpolate(RISING, rise + NEWEST * (distance - rise))
  if (strength === 0) return QUIET
  const level_cents = Math.round(level * level)
  const numbers = { level_cents, times: readable(amount_cents / Math.max(1, level_cents)) }
  return { score: Math.round(strength), strength, finding: 'rising_amounts', numbers }
}

function levelAt({ level, sd, day }: TrendState, at_ms: number): { level: number; sd: number } {
  const days = clamp(Math.floor(at_ms / DAY_MS) - day, 0, DAYS_MAX)
  const risen = Math.exp(RISE_PER_DAY * days)
  return { level: level * risen, sd: sd * risen }
}
