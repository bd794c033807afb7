/**
 * Velocity: assesses whether a key sees more orders than its past explains. Counts decay
 * exponentially, one per half-life, so the state has a fixed size (fraud research 3.2).
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/time-units.ts'
import { type Curve, curve, interpolate, negativeBinomialTail } from '../risk/index.ts'
import type { Assessment } from './measurement.ts'
import { decay, readable, round } from './numbers.ts'

export type VelocityState = {
  /** Times of the first and the latest event in ms; 0 before the first */
  readonly since: number
  readonly at: number
  /** Decayed counts with half-lives of 5 minutes, 1 hour, 1 day and 7 days */
  readonly counts: readonly [minutes: number, hour: number, day: number, week: number]
  /** Decayed sum of amounts in units of a usual order, half-life 1 day */
  readonly spent: number
  /** Decayed count of tiny orders, half-life 1 hour */
  readonly tiny: number
  /** Decayed sum of how unusual the amounts were, 0-1 each, half-life 3 days */
  readonly unusual: number
}

export const EMPTY_VELOCITY: VelocityState = {
  since: 0,
  at: 0,
  counts: [0, 0, 0, 0],
  spent: 0,
  tiny: 0,
  unusual: 0,
}

export type VelocityFact = {
  at_ms: number
  /** Amount in units of a usual order; 1 when that is unknown */
  spent: number
  /** Whether the amount is as small as those used for card testing */
  is_tiny: boolean
  /** How unusual the amount is by itself, 0-1 */
  unusual: number
}

/** Half-lives in ms, in the order of the counts. */
const HALF_LIVES = [5 * MINUTE_MS, HOUR_MS, DAY_MS, 7 * DAY_MS] as const
/** Caps one expensive order, which the amount signal covers; only several make a split amount. */
const SPENT_MAX = 3
/** A stolen card is used for days. */
const UNUSUAL_MS = 3 * DAY_MS

/** Counts an event. A late one counts with its decayed weight and never moves the state back. */
export function learnVelocity(state: VelocityState, fact: VelocityFact): VelocityState {
  const { at_ms } = fact
  const isFirst = state.at === 0
  const at = isFirst ? at_ms : Math.max(state.at, at_ms)
  const elapsed = isFirst ? 0 : at - state.at
  const age = at - at_ms
  const [minutes, hour, day, week] = state.counts
  const hour_remaining = decay(elapsed, HOUR_MS)
  const day_remaining = decay(elapsed, DAY_MS)
  const hour_more = decay(age, HOUR_MS)
  const day_more = decay(age, DAY_MS)
  return {
    since: isFirst ? at_ms : Math.min(state.since, at_ms),
    at,
    counts: [
      round(minutes * decay(elapsed, HALF_LIVES[0]) + decay(age, HALF_LIVES[0])),
      round(hour * hour_remaining + hour_more),
      round(day * day_remaining + day_more),
      round(week * decay(elapsed, HALF_LIVES[3]) + decay(age, HALF_LIVES[3])),
    ],
    spent: round(state.spent * day_remaining + Math.min(SPENT_MAX, fact.spent) * day_more),
    tiny: round(state.tiny * hour_remaining + (fact.is_tiny ? hour_more : 0)),
    unusual: round(
      state.unusual * decay(elapsed, UNUSUAL_MS) + fact.unusual * decay(age, UNUSUAL_MS),
    ),
  }
}

/** Returns the decayed sum of unusual amounts at a time. */
export function unusualAt(state: VelocityState | undefined, at_ms: number): number {
  return state === undefined ? 0 : state.unusual * decay(at_ms - state.at, UNUSUAL_MS)
}

/** Expectations for a kind of key. */
export type VelocityHabit = {
  /** Usual orders per day of a key without a past */
  per_day: number
  /** Number of people who can share the key */
  people: number
  /** Whether a very high count is suspicious even when it is usual for the key */
  has_floor: boolean
  /** Highest strength for this kind of key */
  score_max: number
}

/** PARAMETER_TEXTS of the order scoring explains these numbers. */
export const VELOCITY_PARAMETERS = {
  profile_per_day: 0.2,
  device_people: 1.5,
  ip_people: 8,
  device_score_max: 100,
  ip_score_max: 60,
  split_score_max: 60,
}
export type VelocityParameters = Readonly<typeof VELOCITY_PARAMETERS>

type Window = {
  label: string
  days: number
  /** Count from which the past of a key with a floor no longer excuses it. */
  floor: number
  /** Upper limit of the strength by the count per person, regardless of its probability. */
  ramp: Curve
}

/** The effective length of a window with half-life h is h / ln 2. */
const effective = (half_life_ms: number): number => half_life_ms / DAY_MS / Math.LN2

/**
 * People order in sessions and retry: a second order within minutes is usual, although a Poisson
 * process of two orders a week would not produce it. A count therefore has to be both improbable
 * and large. Five orders spread over five minutes decay to 3.6 and twenty over an hour to 14.4;
 * from there a key's own past no longer excuses it.
 */
const WINDOWS: readonly [Window, Window, Window] = [
  {
    label: '5m',
    days: effective(HALF_LIVES[0]),
    floor: 3.6,
    ramp: curve({ 1.9: 0, 2.8: 35, 3.6: 60, 5: 80, 10: 100 }),
  },
  {
    label: '1h',
    days: effective(HALF_LIVES[1]),
    floor: 14.4,
    ramp: curve({ 2.2: 0, 3.5: 50, 5: 72, 8: 90, 15: 100 }),
  },
  {
    label: '1d',
    days: effective(HALF_LIVES[2]),
    floor: Number.POSITIVE_INFINITY,
    ramp: curve({ 4: 0, 8: 40, 20: 75, 60: 100 }),
  },
]
/** Strength by the decayed sum of amounts, in usual orders, within about a day. */
const SPLIT = curve({ 8: 0, 16: 40, 40: 80, 120: 100 })
const MEMORY_DAYS = effective(HALF_LIVES[3])

export const FLOOR_FINDING = 'too_many_orders'
/** Weight of the prior in orders. More would hold down the rate of a busy customer for weeks. */
const PRIOR_WEIGHT = 0.5
/** Even a long past is less regular than a Poisson process: weekends, sales, holidays. */
const SHAPE_MAX = 20

/**
 * Signal as a function of -log10 of the tail probability. With many windows and keys, one in a
 * hundred occurs by chance all the time.
 */
const SURPRISE = curve({ 2.5: 0, 4: 50, 5.5: 80, 7: 100 })

/**
 * @param state velocity including the order
 * @returns the strongest of the windows and of the split amounts
 */
export function assessVelocity(
  state: VelocityState,
  habit: VelocityHabit,
  { split_score_max }: VelocityParameters,
): Assessment {
  let strength = 0
  let finding: string | null = null
  let window_name = '1d'
  let counted = state.counts[2]
  let expected_count: number | undefined
  for (let i = 0; i < 4; i += 1) {
    const isSpent = i === 3
    const window = isSpent ? WINDOWS[2] : (WINDOWS[i] ?? WINDOWS[2])
    const in_window = isSpent ? state.counts[2] : (state.counts[i] ?? 0)
    const count = isSpent ? state.spent : in_window
    // A split amount needs several orders; a single expensive one is covered by the amount signal.
    if (isSpent && in_window < 3) continue
    const ramp = isSpent ? SPLIT : window.ramp
    const alarm = interpolate(ramp, count / habit.people)
    if (alarm <= strength) continue
    const isFloor = habit.has_floor && !isSpent && count >= window.floor
    const expected = expectedCount(state, window, in_window, habit.per_day)
    const found = isFloor ? alarm : Math.min(alarm, surprise(count, expected))
    const limited = Math.min(found, habit.score_max, isSpent ? split_score_max : 100)
    if (limited <= strength) continue
    strength = limited
    finding = isSpent ? 'split_amount' : isFloor ? FLOOR_FINDING : 'many_orders'
    window_name = window.label
    counted = count
    expected_count = expected.mean
  }
  return {
    score: Math.round(strength),
    strength,
    finding,
    numbers: {
      count: readable(counted),
      window: window_name,
      ...(expected_count !== undefined && { expected: readable(expected_count) }),
    },
  }
}

type Expected = { shape: number; mean: number }

/** Combines a gamma prior of half a pseudo-order at the usual rate with the key's own past. */
function expectedCount(
  state: VelocityState,
  window: Window,
  in_window: number,
  per_day: number,
): Expected {
  const age = state.at - state.since
  const first = decay(age, HALF_LIVES[3])
  // The window is excluded from the past, or a burst would explain itself.
  const past = Math.max(0, state.counts[3] - in_window - first)
  const exposure = Math.max(0, MEMORY_DAYS * (1 - first) - window.days)
  const rate = (PRIOR_WEIGHT + past) / (PRIOR_WEIGHT / per_day + exposure)
  return { shape: Math.min(SHAPE_MAX, PRIOR_WEIGHT + past), mean: rate * window.days }
}

function surprise(count: number, { shape, mean }: Expected): number {
  // The current order is certain; only the others around it can be improbable.
  const tail = negativeBinomialTail(Math.max(0, Math.round(count) - 1), shape, mean)
  return interpolate(SURPRISE, -Math.log(tail) / Math.LN10)
}
