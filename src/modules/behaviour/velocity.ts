/**
 * Velocity: does a key see more orders than its own past explains? Counts decay exponentially, one
 * per half-life, so the state is a few numbers whatever the history (fraud research 3.2).
 */
import { type Curve, interpolate, negativeBinomialTail } from '../risk/index.ts'
import type { Assessment } from './measurement.ts'
import { DAY_MS, decay, HOUR_MS, MINUTE_MS, readable, round } from './numbers.ts'

export type VelocityState = {
  /** ms of the first and of the latest event; 0 before there was one */
  readonly since: number
  readonly at: number
  /** Decayed counts, half-lives 5 minutes, 1 hour, 1 day, 7 days */
  readonly counts: readonly [minutes: number, hour: number, day: number, week: number]
  /** Decayed sum of amounts, each in units of an ordinary order, half-life 1 day */
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
  /** Amount in units of an ordinary order; 1 when that is not known */
  spent: number
  /** So small that it buys nothing: what stolen cards are tried with */
  is_tiny: boolean
  /** How unusual the amount is in itself, 0-1 */
  unusual: number
}

/** Half-lives in ms, in the order of the counts. */
const HALF_LIVES = [5 * MINUTE_MS, HOUR_MS, DAY_MS, 7 * DAY_MS] as const
/** One expensive order is a matter of its amount; only several make a split one. */
const SPENT_MAX = 3
/** A stolen card is used for days. */
const UNUSUAL_MS = 3 * DAY_MS

/** A late event counts what is left of it by now and never moves the state back. */
export function learnVelocity(state: VelocityState, fact: VelocityFact): VelocityState {
  const { at_ms } = fact
  const isFirst = state.at === 0
  const at = isFirst ? at_ms : Math.max(state.at, at_ms)
  const elapsed = isFirst ? 0 : at - state.at
  const age = at - at_ms
  const [minutes, hour, day, week] = state.counts
  const hour_kept = decay(elapsed, HOUR_MS)
  const day_kept = decay(elapsed, DAY_MS)
  const hour_more = decay(age, HOUR_MS)
  const day_more = decay(age, DAY_MS)
  return {
    since: isFirst ? at_ms : Math.min(state.since, at_ms),
    at,
    counts: [
      round(minutes * decay(elapsed, HALF_LIVES[0]) + decay(age, HALF_LIVES[0])),
      round(hour * hour_kept + hour_more),
      round(day * day_kept + day_more),
      round(week * decay(elapsed, HALF_LIVES[3]) + decay(age, HALF_LIVES[3])),
    ],
    spent: round(state.spent * day_kept + Math.min(SPENT_MAX, fact.spent) * day_more),
    tiny: round(state.tiny * hour_kept + (fact.is_tiny ? hour_more : 0)),
    unusual: round(
      state.unusual * decay(elapsed, UNUSUAL_MS) + fact.unusual * decay(age, UNUSUAL_MS),
    ),
  }
}

/** What is left of the unusual amounts of the last days when an order comes at that time. */
export function unusualAt(state: VelocityState | undefined, at_ms: number): number {
  return state === undefined ? 0 : state.unusual * decay(at_ms - state.at, UNUSUAL_MS)
}

/** What is ordinary for a kind of key. */
export type VelocityHabit = {
  /** Ordinary orders per day of a key of which nothing is known yet */
  per_day: number
  /** How many people may stand behind one key */
  people: number
  /** Whether so many are too many even for a key that always did that */
  has_floor: boolean
  /** The most that the kind may say */
  score_max: number
}

export type VelocityParameters = {
  /** Ordinary orders per day of one profile, until the organisation has a rate of its own. */
  readonly profile_per_day: number
  /** People who may stand behind one device or one address; counts are divided by it. */
  readonly device_people: number
  readonly ip_people: number
  /** The most that a device or an address may say; an address may be an office or a carrier. */
  readonly device_score_max: number
  readonly ip_score_max: number
  /** The most that amounts may say that were split into several orders. */
  readonly split_score_max: number
}

export const VELOCITY_PARAMETERS: VelocityParameters = {
  profile_per_day: 0.2,
  device_people: 1.5,
  ip_people: 8,
  device_score_max: 100,
  ip_score_max: 60,
  split_score_max: 60,
}

type Window = {
  label: string
  days: number
  /** From this count on, the own past of a key with a floor no longer excuses it. */
  floor: number
  /** How alarming a count of one person can be at most, whatever its probability. */
  ramp: Curve
}

/** Effective length of a window with half-life h is h / ln 2. */
const effective = (half_life_ms: number): number => half_life_ms / DAY_MS / Math.LN2

/**
 * People come in sessions and try again: a second order within minutes is ordinary, although no
 * Poisson process of two a week would do that. So a count has to be both improbable and large.
 * Five orders spread over five minutes have come to 3.6, twenty over an hour to 14.4: from there on
 * a key's own past no longer excuses it.
 */
const WINDOWS: readonly [Window, Window, Window] = [
  {
    label: '5m',
    days: effective(HALF_LIVES[0]),
    floor: 3.6,
    ramp: [
      [1.9, 0],
      [2.8, 35],
      [3.6, 60],
      [5, 80],
      [10, 100],
    ],
  },
  {
    label: '1h',
    days: effective(HALF_LIVES[1]),
    floor: 14.4,
    ramp: [
      [2.2, 0],
      [3.5, 50],
      [5, 72],
      [8, 90],
      [15, 100],
    ],
  },
  {
    label: '1d',
    days: effective(HALF_LIVES[2]),
    floor: Number.POSITIVE_INFINITY,
    ramp: [
      [4, 0],
      [8, 40],
      [20, 75],
      [60, 100],
    ],
  },
]
/** Ordinary orders' worth within the day or so. */
const SPLIT: Curve = [
  [8, 0],
  [16, 40],
  [40, 80],
  [120, 100],
]
const MEMORY_DAYS = effective(HALF_LIVES[3])

export const FLOOR_FINDING = 'too_many_orders'
/** In orders. More would hold a busy customer's rate down for weeks. */
const PRIOR_WEIGHT = 0.5
/** Nobody is as regular as a Poisson process, however long the past: weekends, sales, holidays. */
const SHAPE_MAX = 20

/**
 * Signal as a function of -log10 of the tail probability. Windows and keys are many, so that one in
 * a hundred is found by chance all the time.
 */
const SURPRISE: Curve = [
  [2.5, 0],
  [4, 50],
  [5.5, 80],
  [7, 100],
]

/**
 * @param state with the order counted already
 * @returns the worst of the windows and of the split amounts
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
    // A split amount is made of several orders; a single dear one is not a matter of velocity.
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

/** Gamma prior of half a pseudo-order at the ordinary rate, then the key's own past. */
function expectedCount(
  state: VelocityState,
  window: Window,
  in_window: number,
  per_day: number,
): Expected {
  const age = state.at - state.since
  const first = decay(age, HALF_LIVES[3])
  // The window is part of the memory; left in, a burst would explain itself.
  const past = Math.max(0, state.counts[3] - in_window - first)
  const exposure = Math.max(0, MEMORY_DAYS * (1 - first) - window.days)
  const rate = (PRIOR_WEIGHT + past) / (PRIOR_WEIGHT / per_day + exposure)
  return { shape: Math.min(SHAPE_MAX, PRIOR_WEIGHT + past), mean: rate * window.days }
}

function surprise(count: number, { shape, mean }: Expected): number {
  // That there is an order now is given; what is improbable is how many others are around it.
  const tail = negativeBinomialTail(Math.max(0, Math.round(count) - 1), shape, mean)
  return interpolate(SURPRISE, -Math.log(tail) / Math.LN10)
}
