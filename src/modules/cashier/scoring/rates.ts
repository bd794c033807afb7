/** Assesses whether a cashier exceeds the rate of comparable cashiers, in any of three windows. */
import { DAY_MS, HOUR_MS } from '../../../platform/time-units.ts'
import { type Assessment, clamp } from '../../behavior/index.ts'
import { interpolate } from '../../risk/index.ts'
import { betaBinomialLogTail } from './beta-binomial.ts'
import type { Case } from './case.ts'
import { type Counts, HALF_LIVES_MS, INDEX, LENGTHS, leftOf, type Window } from './counts.ts'
import { measure, NOTHING } from './measure.ts'
import type { RateKind, RateRules } from './parameters.ts'
import {
  type Basis,
  type Comparison,
  dilutionOf,
  expectedRate,
  type Peers,
  trialsOf,
} from './peers.ts'
import { assessRise, unlessRaised } from './rises.ts'
import type { ActionKind, RaisedState } from './states.ts'

const WINDOWS = Object.keys(HALF_LIVES_MS) as Window[]
/** With fewer decayed sales in a month, the sales of the cashier are apparently not sent. */
const SALES_MIN = 5

/** Other things that are known about the rate. */
type RateMemory = { rise: Assessment; raised: RaisedState | undefined }

const NO_MEMORY: RateMemory = { rise: NOTHING, raised: undefined }

/**
 * @param counts of the cashier in the present role, including the action
 * @returns `NOTHING` below three actions, even if they are a large share
 */
export function assessRate(
  kind: RateKind,
  counts: Counts,
  peers: Peers,
  rules: RateRules,
  { rise, raised }: RateMemory = NO_MEMORY,
): Assessment {
  const comparison = { kind, basis: basisOf(counts, peers.now_ms), peers, rules }
  const hasChange = rules.change.kinds.includes(kind)
  const shares = sharesOf(counts, comparison)
  const week = shares.find(({ window }) => window === 'week')?.share
  const month = shares.find(({ window }) => window === 'month')?.share
  const before = hasChange && week && month ? beforeOf(week, month, rules) : undefined
  let strongest = NOTHING
  const consider = (assessment: Assessment) => {
    if (assessment.strength > strongest.strength || strongest === NOTHING) strongest = assessment
  }
  for (const { window, share } of shares) {
    if (share.count <= rules.actions_over) continue
    const isHabit = week !== undefined && window !== 'shift' && isUnchanged(week, before, rules)
    const weight = isHabit ? rules.change.habit_weight : 1
    const compared = compareWithPeers(window, share, comparison, weight)
    consider(window === 'shift' ? compared : unlessRaised(compared, raised, peers.now_ms, rules))
    if (window === 'week' && before !== undefined) {
      const changed = compareWithBefore(share, before, comparison)
      consider(unlessRaised(changed, raised, peers.now_ms, rules))
    }
  }
  consider(unlessRaised(rise, raised, peers.now_ms, rules))
  return strongest
}

/** Assesses the rate of the kind of a single action, with the stored state about it. */
export function assessActionRate(kind: ActionKind, current: Case): Assessment {
  const { before, counts, peers, parameters, rise } = current
  const { rates } = parameters
  const raised = peers.role === 'till' ? before.rises?.raised[kind] : undefined
  const memory = { rise: assessRise(kind, rise, peers.now_ms, rates), raised }
  return assessRate(kind, counts, peers, rates, memory)
}

/** Compares every window of the kind with the peers, for the comparison in the console. */
export function comparedInWindows(
  kind: RateKind,
  counts: Counts,
  peers: Peers,
  rules: RateRules,
): { window: Window; assessment: Assessment }[] {
  const comparison = { kind, basis: basisOf(counts, peers.now_ms), peers, rules }
  return sharesOf(counts, comparison).map(({ window, share }) => ({
    window,
    assessment: compareWithPeers(window, share, comparison),
  }))
}

type Before = { count: number; trials: number }

type Share = {
  count: number
  trials: number
  /** `dilutionOf` the counts; 1 when the trials are actions. */
  dilution: number
}

function sharesOf(
  counts: Counts,
  { kind, basis, peers }: Comparison,
): { window: Window; share: Share }[] {
  return WINDOWS.filter((window) => INDEX[kind] < LENGTHS[window]).map((window) => {
    const values = counts[window]
    const left = leftOf(counts.at, peers.now_ms, window).one
    const share = {
      count: (values[INDEX[kind]] ?? 0) * left,
      trials: trialsOf(values, kind, basis) * left,
      dilution: basis === 'sales' ? dilutionOf(values, left) : 1,
    }
    return { window, share }
  })
}

/** Returns the weeks before the last one; undefined while they have too few trials. */
function beforeOf(week: Share, month: Share, { change }: RateRules): Before | undefined {
  const trials = month.trials - week.trials
  if (trials <= 0 || trials < change.trials_times * week.trials) return undefined
  return { count: Math.max(0, month.count - week.count), trials }
}

/** A cashier whose rate has long been high is more likely different than dishonest. */
function isUnchanged(week: Share, before: Before | undefined, { change }: RateRules): boolean {
  if (before === undefined || before.trials < change.habit_trials_times * week.trials) return false
  return week.count * before.trials <= change.habit_rise * before.count * week.trials
}

function compareWithPeers(
  window: Window,
  share: Share,
  comparison: Comparison,
  weight = 1,
): Assessment {
  const { kind, peers, rules } = comparison
  const expected = expectedRate(window, comparison)
  const surprise = surpriseOf(share, expected.rate * rules.tolerance[window], expected.strength)
  const floor = window === 'shift' ? floorOf(share, comparison, expected.rate) : 0
  const strength = Math.max(interpolate(rules.surprise, surprise) * weight, floor)
  return measure(limitWhileNew(strength, peers, rules), `${kind}_rate`, {
    ...numbersOf(share, window),
    expected: share.trials * expected.rate,
    peers_share: expected.rate,
    peers: expected.peers,
    surprise,
  })
}

/**
 * Compares the last week with the same cashier's earlier weeks, adjusted by the change of the peers in
 * the meantime: a constant rate is inconspicuous, a recent rise is found soon.
 */
function compareWithBefore(week: Share, before: Before, comparison: Comparison): Assessment {
  const { kind, peers, rules } = comparison
  const ofWeek = expectedRate('week', comparison)
  if (week.count <= week.trials * ofWeek.rate * rules.change.peers_times) return NOTHING
  const ofMonth = expectedRate('month', comparison)
  const trend = clamp(
    ofWeek.rate / ofMonth.rate,
    1 / rules.change.trend_max,
    rules.change.trend_max,
  )
  const { trials } = before
  const count = before.count * trend
  const rate = (count + ofMonth.strength * ofWeek.rate) / (trials + ofMonth.strength)
  const pseudoTrials = Math.min(trials + ofMonth.strength, rules.change.strength_max)
  const surprise = surpriseOf(week, rate, pseudoTrials)
  const weight = peers.role === 'desk' ? rules.change.desk_weight : 1
  const strength = interpolate(rules.change.surprise, surprise) * weight
  return measure(limitWhileNew(strength, peers, rules), `${kind}_change`, {
    ...numbersOf(week, 'week'),
    expected: week.trials * rate,
    share_before: count / trials,
    peers_share: ofWeek.rate,
    peers: ofWeek.peers,
    surprise,
  })
}

/** Returns -log10 of the probability of this count or more. */
function surpriseOf({ count, trials, dilution }: Share, rate: number, strength: number): number {
  const tail = betaBinomialLogTail(
    count / dilution,
    trials / dilution,
    Math.min(RATE_MAX, rate),
    strength,
  )
  return -tail / Math.LN10
}

const RATE_MAX = 0.95

function numbersOf({ count, trials }: Share, window: Window) {
  return {
    count,
    transactions: trials,
    share: trials > 0 ? count / trials : 0,
    half_life_hours: HALF_LIVES_MS[window] / HOUR_MS,
  }
}

/** While till or location are new, the usual rate there is unknown. */
function limitWhileNew(strength: number, { now_ms, since_ms }: Peers, rules: RateRules): number {
  const isNew = now_ms - since_ms < rules.learning_days * DAY_MS
  return isNew ? Math.min(strength, rules.learning_strength) : strength
}

/**
 * Strength of a share within a shift that is suspicious at a till even if all peers have it, or that
 * is many times the expected one.
 */
function floorOf(
  { count, trials }: Share,
  { kind, basis, peers, rules }: Comparison,
  rate: number,
): number {
  const floor = rules.floors[kind]
  if (floor === undefined || peers.role === 'desk' || basis === 'actions') return 0
  const least = Math.min(floor, rate * rules.floor_times)
  return count >= trials * least && count >= rules.floor_actions_min ? rules.floor_strength : 0
}

function basisOf(counts: Counts, now_ms: number): Basis {
  const sales = (counts.month[INDEX.sale] ?? 0) * leftOf(counts.at, now_ms, 'month').one
  return sales >= SALES_MIN ? 'sales' : 'actions'
}
