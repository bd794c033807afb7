/**
 * Velocity: finds identities that are seen more often than their own past explains. Counts decay
 * exponentially, one per half-life, so the state is four numbers however long the history is.
 *
 * The expected count of a window follows from the key's own long-run rate with a Gamma prior; the
 * signal is the tail probability of the negative binomial that results (fraud research 3.2).
 */
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from '../../../platform/time-units.ts'
import { usualText } from '../../reasons/index.ts'
import {
  type Curve,
  curve,
  type Evidence,
  interpolate,
  negativeBinomialTail,
} from '../../risk/index.ts'

export const VELOCITY_KINDS = [
  'email',
  'email_series',
  'email_domain',
  'phone',
  'device',
  'ip',
] as const
export type VelocityKind = (typeof VELOCITY_KINDS)[number]

/** Decayed counts, which include the present occurrence. */
export type VelocityCounts = {
  count_5m: number
  count_1h: number
  count_1d: number
  count_7d: number
}

export type VelocityFact = { kind: VelocityKind; counts: VelocityCounts }

/** Half-lives of the decayed counts, in seconds. */
export const HALF_LIVES_SECONDS: Readonly<Record<keyof VelocityCounts, number>> = {
  count_5m: 5 * MINUTE_SECONDS,
  count_1h: HOUR_SECONDS,
  count_1d: DAY_SECONDS,
  count_7d: 7 * DAY_SECONDS,
}

type Window = {
  key: keyof VelocityCounts
  label: string
  /** Upper bound of the score for a count of one person, however improbable the count is. */
  ramp: Curve
}

/** Effective length in days: a count with half-life h covers h / ln 2. */
const daysOf = (key: keyof VelocityCounts): number =>
  HALF_LIVES_SECONDS[key] / DAY_SECONDS / Math.LN2

/**
 * People come in sessions: three checks of one e-mail in five minutes are a sign-up with two
 * retries, although no Poisson process of three a day would do that. So a count has to be both
 * improbable and large.
 */
const WINDOWS: readonly Window[] = [
  {
    key: 'count_5m',
    label: '5 minutes',
    ramp: curve({ 2: 0, 5: 50, 10: 75, 25: 100 }),
  },
  {
    key: 'count_1h',
    label: 'an hour',
    ramp: curve({ 5: 0, 10: 40, 20: 75, 60: 100 }),
  },
  {
    key: 'count_1d',
    label: 'a day',
    ramp: curve({ 12: 0, 30: 40, 80: 75, 250: 100 }),
  },
]
const MEMORY_DAYS = daysOf('count_7d')

type Habit = {
  /** Ordinary occurrences per day before anything is known about the key. */
  per_day: number
  /** Number of people that one key usually stands for. */
  people: number
  /** Whether a high count is too high even for a key that always had such counts. */
  has_floor: boolean
  /** Maximum score of the kind: an IP address can belong to an office, a carrier or a whole store. */
  score_max: number
}

const HABITS: Record<VelocityKind, Habit> = {
  email: { per_day: 3, people: 1, has_floor: true, score_max: 100 },
  phone: { per_day: 3, people: 1, has_floor: true, score_max: 100 },
  device: { per_day: 5, people: 1, has_floor: false, score_max: 100 },
  email_series: { per_day: 3, people: 1.5, has_floor: false, score_max: 100 },
  ip: { per_day: 100, people: 8, has_floor: false, score_max: 30 },
  email_domain: { per_day: 50, people: 20, has_floor: false, score_max: 60 },
}
const PRIOR_WEIGHT = 2

/** Signal as a function of -log10 of the tail probability. */
const SURPRISE = curve({ 1: 0, 2: 30, 4: 65, 6: 90, 8: 100 })
/** From this ramp value on, the key's own past is no excuse (10 in 5 minutes, 20 an hour). */
const FLOOR_SCORE = 75

/** @returns the finding of the worst window, undefined when no window is conspicuous */
export function assessVelocity({ kind, counts }: VelocityFact): Evidence | undefined {
  const habit = HABITS[kind]
  let worst: Evidence | undefined
  for (const window of WINDOWS) {
    const count = Math.round(counts[window.key])
    const alarm = interpolate(window.ramp, count / habit.people)
    if (alarm === 0) continue
    const { tail, expected } = compareWithPast(counts, window, habit, count)
    const surprise = interpolate(SURPRISE, -Math.log10(tail))
    const isFloor = habit.has_floor && alarm >= FLOOR_SCORE
    const score = Math.round(isFloor ? alarm : Math.min(alarm, surprise, habit.score_max))
    if (score <= (worst?.score ?? 0)) continue
    worst = {
      signal: 'velocity',
      score,
      finding: `${kind}_velocity`,
      detail: `Seen ${count} times within ${window.label}; ${usualText(expected)} are usual.`,
    }
  }
  return worst
}

function compareWithPast(
  counts: VelocityCounts,
  { key }: Window,
  { per_day }: Habit,
  count: number,
): { tail: number; expected: number } {
  const days = daysOf(key)
  // The window is part of the memory; if it were not subtracted, a burst would explain itself.
  const past = Math.max(0, counts.count_7d - counts[key])
  const shape = PRIOR_WEIGHT + past
  const exposureDays = PRIOR_WEIGHT / per_day + (past > 0 ? MEMORY_DAYS - days : 0)
  const expected = (shape / exposureDays) * days
  return { tail: negativeBinomialTail(count, shape, expected), expected }
}
