/**
 * Notices that the rate of a cashier has risen, by a cumulative sum (Page, 1954): each action adds the
 * log-likelihood ratio of a doubled rate against the earlier one, each sale takes from it, and the sum
 * starts again from zero. So a lasting rise adds up for as long as it lasts, which windows cannot do.
 */
import { DAY_MS } from '../../../platform/time-units.ts'
import { type Assessment, clamp, round } from '../../behavior/index.ts'
import { interpolate } from '../../risk/index.ts'
import { type Counts, INDEX, leftOf } from './counts.ts'
import { measure, NOTHING } from './measure.ts'
import type { RateRules } from './parameters.ts'
import { expectedRate, type Peers, trialsOf } from './peers.ts'
import type { ActionKind, RaisedState, Rise, RisesState } from './states.ts'

export const NO_RISES: RisesState = { sold: 0, kinds: {}, raised: {} }

/** @param counts of the cashier in the present role, including the action */
export function nextRise(
  kind: ActionKind,
  counts: Counts,
  { sold, kinds }: RisesState,
  { peers, rules }: { peers: Peers; rules: RateRules },
): Rise | undefined {
  const { rise } = rules
  if (!rise.kinds.includes(kind) || peers.role === 'desk') return undefined
  const left = leftOf(counts.at, peers.now_ms, 'month').one
  const month = trialsOf(counts.month, kind, 'sales') * left
  const week = trialsOf(counts.week, kind, 'sales') * leftOf(counts.at, peers.now_ms, 'week').one
  if (month - week < rise.trials_times * week) return undefined
  const known = kinds[kind]
  const isRunning =
    known !== undefined &&
    known.score > 0 &&
    peers.now_ms - known.from < rise.baseline_days * DAY_MS
  const comparison = { kind, basis: 'sales' as const, peers, rules }
  const ofWeek = expectedRate('week', comparison)
  const ofMonth = expectedRate('month', comparison)
  const earlier = (counts.month[INDEX[kind]] ?? 0) * left - 1
  const start: Rise = isRunning
    ? known
    : {
        score: 0,
        times:
          (earlier / ofMonth.rate + ofMonth.strength) / (Math.max(0, month - 1) + ofMonth.strength),
        sold: known?.sold ?? sold,
        from: peers.now_ms,
        count: 0,
        expected: 0,
      }
  // The rate of the last week lags behind a season in which all have more.
  const season = clamp((ofWeek.rate / ofMonth.rate) ** 2, 1, rise.season_max)
  const expected = (sold - start.sold + 1) * start.times * ofWeek.rate * season
  const more = Math.log(rise.times) - (rise.times - 1) * expected
  return {
    score: round(clamp(start.score + more, 0, rise.score_max)),
    times: round(start.times),
    sold,
    from: start.from,
    count: start.count + 1,
    expected: round(start.expected + expected),
  }
}

export function assessRise(
  kind: ActionKind,
  rise: Rise | undefined,
  now_ms: number,
  rules: RateRules,
): Assessment {
  if (rise === undefined || rise.count < rules.rise.count_min) return NOTHING
  return measure(interpolate(rules.rise.strength, rise.score), `${kind}_rise`, {
    count: rise.count,
    expected: rise.expected,
    days: Math.max(1, (now_ms - rise.from) / DAY_MS),
    likelihood: rise.score,
  })
}

/**
 * Limits a finding about days or weeks that was flagged recently and has not grown since: the next shift with
 * the same finding says nothing new.
 */
export function unlessRaised(
  assessment: Assessment,
  raised: RaisedState | undefined,
  now_ms: number,
  { again }: RateRules,
): Assessment {
  if (raised === undefined || assessment.strength <= again.strength_max) return assessment
  const isNew = now_ms - raised.at >= again.days * DAY_MS
  const hasGrown = assessment.strength >= raised.strength + again.growth
  if (isNew || hasGrown || assessment.strength >= again.below) return assessment
  return { ...assessment, strength: again.strength_max, score: Math.round(again.strength_max) }
}

export function withRise(
  before: RisesState,
  kind: ActionKind,
  rise: Rise | undefined,
  raised: RaisedState | undefined,
): RisesState {
  const { [kind]: _known, ...others } = before.kinds
  return {
    sold: before.sold,
    kinds: rise === undefined ? others : { ...others, [kind]: rise },
    raised: raised === undefined ? before.raised : { ...before.raised, [kind]: raised },
  }
}
