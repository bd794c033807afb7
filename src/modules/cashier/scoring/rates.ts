/** Whether a cashier does something more often than comparable cashiers, in any of three windows. */
import { type Assessment, clamp } from '../../behaviour/index.ts'
import { interpolate } from '../../risk/index.ts'
import { betaBinomialLogTail } from './beta-binomial.ts'
import { type Counts, HALF_LIVES_MS, INDEX, LENGTHS, leftOf, type Window } from './counts.ts'
import { measure, NOTHING } from './measure.ts'
import type { RateKind, RateRules } from './parameters.ts'
import { type Basis, dilutionOf, expectedRate, type Peers, trialsOf } from './peers.ts'

const DAY_MS = 86_400_000
const WINDOWS = Object.keys(HALF_LIVES_MS) as Window[]
/** Fewer decayed sales in a month than this, and the sales of this cashier are not sent to us. */
const SALES_MIN = 5

/**
 * @param counts of the cashier in the role at hand, with the action that is judged
 * @returns nothing below three actions, whatever their share
 */
export function assessRate(
  kind: RateKind,
  counts: Counts,
  peers: Peers,
  rules: RateRules,
): Assessment {
  const basis = basisOf(counts, peers.now_ms)
  const hasChange = rules.change.kinds.includes(kind)
  const shares = WINDOWS.filter((window) => INDEX[kind] < LENGTHS[window]).map((window) => ({
    window,
    share: shareOf(kind, window, basis, counts, peers.now_ms),
  }))
  const week = shares.find(({ window }) => window === 'week')?.share
  const month = shares.find(({ window }) => window === 'month')?.share
  const before = hasChange && week && month ? beforeOf(week, month, rules) : undefined
  let strongest = NOTHING
  const consider = (assessment: Assessment) => {
    if (assessment.strength > strongest.strength || strongest === NOTHING) strongest = assessment
  }
  for (const { window, share } of shares) {
    if (share.count <= rules.actions_over) continue
    const isHabit = week !== undefined && window !== 'shift' && isNothingNew(week, before, rules)
    consider(comparedWithPeers(kind, window, basis, share, isHabit, peers, rules))
    if (window === 'week' && before !== undefined) {
      consider(comparedWithBefore(kind, basis, share, before, peers, rules))
    }
  }
  return strongest
}

/** The kind in each of its windows, whatever it comes to: what a picture of the peers is made of. */
export function comparedInWindows(
  kind: RateKind,
  counts: Counts,
  peers: Peers,
  rules: RateRules,
): { window: Window; assessment: Assessment }[] {
  const basis = basisOf(counts, peers.now_ms)
  return WINDOWS.filter((window) => INDEX[kind] < LENGTHS[window]).map((window) => {
    const share = shareOf(kind, window, basis, counts, peers.now_ms)
    return {
      window,
      assessment: comparedWithPeers(kind, window, basis, share, false, peers, rules),
    }
  })
}

type Before = { count: number; trials: number }

type Share = {
  count: number
  trials: number
  /** A decayed count is worth so many times as many undecayed ones. */
  dilution: number
}

function shareOf(
  kind: RateKind,
  window: Window,
  basis: Basis,
  counts: Counts,
  now_ms: number,
): Share {
  const values = counts[window]
  const left = leftOf(counts.at, now_ms, window).one
  return {
    count: (values[INDEX[kind]] ?? 0) * left,
    trials: trialsOf(values, kind, basis) * left,
    dilution: basis === 'sales' ? dilutionOf(values, left) : 1,
  }
}

/** The weeks before the last one; undefined while they tell too little. */
function beforeOf(week: Share, month: Share, { change }: RateRules): Before | undefined {
  const trials = month.trials - week.trials
  if (trials <= 0 || trials < change.trials_times * week.trials) return undefined
  return { count: Math.max(0, month.count - week.count), trials }
}

/** Who has long been like that may be a different person rather than a thief: that has to be rarer. */
function isNothingNew(week: Share, before: Before | undefined, { change }: RateRules): boolean {
  if (before === undefined || before.trials < change.habit_trials_times * week.trials) return false
  return week.count * before.trials <= change.habit_rise * before.count * week.trials
}

function comparedWithPeers(
  kind: RateKind,
  window: Window,
  basis: Basis,
  share: Share,
  isHabit: boolean,
  peers: Peers,
  rules: RateRules,
): Assessment {
  const expected = expectedRate(kind, window, basis, peers, rules)
  const surprise = surpriseOf(share, expected.rate * rules.tolerance[window], expected.strength)
  const floor = floorOf(kind, window, basis, share, peers, rules)
  const told = interpolate(rules.surprise, surprise) * (isHabit ? rules.change.habit_weight : 1)
  const strength = Math.max(told, floor)
  return measure(learned(strength, peers, rules), `${kind}_rate`, {
    ...numbersOf(share, window),
    expected: share.trials * expected.rate,
    peers_share: expected.rate,
    peers: expected.peers,
    surprise,
  })
}

/**
 * The last week against the same cashier's weeks before, moved along with what changed for the
 * peers meanwhile: who has always been like that does not stand out, who began to does soon.
 */
function comparedWithBefore(
  kind: RateKind,
  basis: Basis,
  week: Share,
  before: Before,
  peers: Peers,
  rules: RateRules,
): Assessment {
  const ofWeek = expectedRate(kind, 'week', basis, peers, rules)
  if (week.count <= week.trials * ofWeek.rate * rules.change.peers_times) return NOTHING
  const ofMonth = expectedRate(kind, 'month', basis, peers, rules)
  const trend = clamp(
    ofWeek.rate / ofMonth.rate,
    1 / rules.change.trend_max,
    rules.change.trend_max,
  )
  const { trials } = before
  const count = before.count * trend
  const rate = (count + ofMonth.strength * ofWeek.rate) / (trials + ofMonth.strength)
  const strength = Math.min(trials + ofMonth.strength, rules.change.strength_max)
  const surprise = surpriseOf(week, rate, strength)
  return measure(
    learned(interpolate(rules.change.surprise, surprise), peers, rules),
    `${kind}_change`,
    {
      ...numbersOf(week, 'week'),
      expected: week.trials * rate,
      share_before: count / trials,
      peers_share: ofWeek.rate,
      peers: ofWeek.peers,
      surprise,
    },
  )
}

/** -log10 of the probability of so many or more. */
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
    half_life_hours: HALF_LIVES_MS[window] / 3_600_000,
  }
}

/** While till or location are new, nobody knows yet what is usual there. */
function learned(strength: number, { now_ms, since_ms }: Peers, rules: RateRules): number {
  const isNew = now_ms - since_ms < rules.learning_days * DAY_MS
  return isNew ? Math.min(strength, rules.learning_strength) : strength
}

/** What stands out at a till even where everybody does it. */
function floorOf(
  kind: RateKind,
  window: Window,
  basis: Basis,
  { count, trials }: Share,
  { role }: Peers,
  rules: RateRules,
): number {
  const floor = rules.floors[kind]
  if (floor === undefined || window !== 'shift' || role === 'desk' || basis === 'actions') return 0
  return count >= trials * floor && count >= rules.floor_actions_min ? rules.floor_strength : 0
}

function basisOf(counts: Counts, now_ms: number): Basis {
  const sales = (counts.month[INDEX.sale] ?? 0) * leftOf(counts.at, now_ms, 'month').one
  return sales >= SALES_MIN ? 'sales' : 'actions'
}
