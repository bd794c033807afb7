/**
 * Scores a cashier action by seven signals, each compared with the same cashier's past, the peers and
 * the real orders. Pure: takes facts, states and a time; returns the score and the next states.
 */
import { HOUR_MS } from '../../../platform/time-units.ts'
import { type Measurement, measured } from '../../behavior/index.ts'
import { type CompiledRules, NO_CUSTOM_RULES } from '../../custom-rules/index.ts'
import { type Adjustment, type RiskLevel, recordOf, riskLevel } from '../../risk/index.ts'
import { adjustAction } from './adjusted.ts'
import { assessBursts } from './bursts.ts'
import type { Case } from './case.ts'
import { emptyCashier, roleOf, timeOf } from './cashier-state.ts'
import { addCounts, emptyCounts, HALF_LIVES_MS } from './counts.ts'
import { assessDiscounts } from './discounts.ts'
import { assessDrawer } from './drawer.ts'
import type { ActionFacts } from './facts.ts'
import { additionsOf, nextStates, recentKindOf } from './learn.ts'
import { measure, NOTHING, strongestOf } from './measure.ts'
import { assessOffShift } from './off-shift.ts'
import { CASHIER_SIGNALS, type CashierParameters, type CashierSignal } from './parameters.ts'
import { assessActionRate } from './rates.ts'
import { NO_RISES, nextRise } from './rises.ts'
import { assessRoundRefund, isLargeRefund } from './round-refunds.ts'
import { type StoredActionFacts, storedActionFacts } from './rule-facts.ts'
import { shortKey } from './short-key.ts'
import type { ActionKind, CashierStates, RaisedState } from './states.ts'

/** Flags of the specification ("Risk scale and flags"), in its order. */
export const CASHIER_FLAGS = [
  'excessive_voids',
  'excessive_refunds',
  'discount_abuse',
  'off_shift_activity',
  'drawer_anomaly',
  'round_number_refund',
] as const
export type CashierFlag = (typeof CASHIER_FLAGS)[number]

/** `velocity_anomaly` has no flag, because it only supports the other signals. */
const SIGNAL_OF: Readonly<Record<CashierFlag, CashierSignal>> = {
  excessive_voids: 'excessive_voids',
  excessive_refunds: 'excessive_refunds',
  discount_abuse: 'discount_abuse',
  off_shift_activity: 'off_shift',
  drawer_anomaly: 'drawer_anomaly',
  round_number_refund: 'round_number_refund',
}

export const flagsOf = (
  signals: Readonly<Record<CashierSignal, number>>,
  { flag_from }: Pick<CashierParameters, 'flag_from'>,
): CashierFlag[] => CASHIER_FLAGS.filter((flag) => signals[SIGNAL_OF[flag]] >= flag_from)

export type ScoredAction = {
  fraud: {
    risk_score: number
    risk_level: RiskLevel
    signals: Record<CashierSignal, number>
    flags: CashierFlag[]
  }
  measurements: Record<CashierSignal, Measurement>
  /** What custom rules and lists have changed about the score, in the sequence of the changes. */
  adjustments: readonly Adjustment[]
  /** What rules in shadow would have changed. */
  shadows: readonly Adjustment[]
  /** Measurements before the changes; absent without any. */
  before?: Record<CashierSignal, Measurement>
  rule_facts: StoredActionFacts
  /** Each member is identical (===) to the input when unchanged. */
  next: CashierStates
  /** Whether the action has flags, so that `cashier.fraud.detected` is emitted. */
  is_detected: boolean
}

export function scoreAction(
  facts: ActionFacts,
  states: CashierStates,
  now_ms: number,
  parameters: CashierParameters,
  custom: CompiledRules = NO_CUSTOM_RULES,
): ScoredAction {
  const current = caseOf(facts, states, now_ms, parameters)
  const offShift = assessOffShift(current)
  const counts = addCounts(
    states.cashier?.[current.peers.role] ?? emptyCounts(current.at_ms),
    current.at_ms,
    additionsOf(current, OFF_SHIFT.includes(offShift.finding)),
  )
  const kind = recentKindOf(facts.action_type)
  const rise =
    kind === undefined
      ? undefined
      : nextRise(kind, counts, current.before.rises ?? NO_RISES, {
          peers: current.peers,
          rules: parameters.rates,
        })
  const judged: Case = { ...current, counts, rise }
  const found: Record<CashierSignal, Measurement> = {
    excessive_voids: measured(assessVoids(judged)),
    excessive_refunds: measured(assessRefunds(judged)),
    discount_abuse: measured(assessDiscounts(judged)),
    off_shift: measured(offShift),
    velocity_anomaly: measured(assessBursts(judged, kind)),
    drawer_anomaly: measured(assessDrawer(judged)),
    round_number_refund: measured(assessRoundRefund(judged)),
  }
  const rule_facts = storedActionFacts(judged, states.cashier !== undefined)
  const subject = { facts, found, stored: rule_facts }
  const { measurements, risk_score, ...changes } = adjustAction(subject, custom, parameters)
  const risk_level = riskLevel(risk_score)
  const signals = recordOf(CASHIER_SIGNALS, (signal) => measurements[signal].score)
  const flags = flagsOf(signals, parameters)
  return {
    fraud: { risk_score, risk_level, signals, flags },
    measurements,
    ...changes,
    ...(changes.adjustments.length > 0 && { before: found }),
    rule_facts,
    next: nextStates(judged, states, raisedOf(judged, kind, found)),
    is_detected: flags.length > 0,
  }
}

const OFF_SHIFT: readonly (string | null)[] = [
  'off_shift',
  'shifts_rarely_sent',
  'forgotten_shift_start',
]

const SIGNAL_OF_KIND: Readonly<Record<ActionKind, CashierSignal>> = {
  void: 'excessive_voids',
  refund: 'excessive_refunds',
  override: 'discount_abuse',
  drawer: 'drawer_anomaly',
}
const SHIFT_HOURS = HALF_LIVES_MS.shift / HOUR_MS

/** Returns what to remember when a finding about more than a shift is flagged. */
function raisedOf(
  { peers, parameters }: Case,
  kind: ActionKind | undefined,
  found: Readonly<Record<CashierSignal, Measurement>>,
): RaisedState | undefined {
  if (kind === undefined) return undefined
  const { score, finding, numbers } = found[SIGNAL_OF_KIND[kind]]
  const isLong =
    finding === `${kind}_change` ||
    finding === `${kind}_rise` ||
    (finding === `${kind}_rate` && numbers['half_life_hours'] !== SHIFT_HOURS)
  if (!isLong || score < parameters.flag_from) return undefined
  return { at: peers.now_ms, strength: score }
}

/** Returns the case before the action is counted. */
function caseOf(
  facts: ActionFacts,
  states: CashierStates,
  now_ms: number,
  parameters: CashierParameters,
): Case {
  const at_ms = timeOf(facts.performed_at_ms, now_ms)
  const before = states.cashier ?? emptyCashier(at_ms)
  const role = roleOf(facts, states, at_ms, parameters.desk)
  const usual = before.sales.currency || (states.store?.currency ?? '')
  return {
    facts,
    at_ms,
    before,
    counts: before[role] ?? emptyCounts(at_ms),
    rise: undefined,
    peers: {
      role,
      cashier: shortKey(facts.cashier_id),
      location: shortKey(facts.location),
      now_ms: Math.max(at_ms, before.latest_at),
      since_ms: Math.max(states.till?.since ?? 0, states.store?.since ?? at_ms),
      store: states.store,
      organization: states.organization,
    },
    currency: facts.order?.currency ?? (usual === '' ? undefined : usual),
    parameters,
  }
}

function assessVoids(current: Case) {
  if (current.facts.action_type !== 'void') return NOTHING
  return assessActionRate('void', current)
}

function assessRefunds(current: Case) {
  const { facts, parameters } = current
  if (facts.action_type !== 'refund') return NOTHING
  const { order, amount_cents } = facts
  const rate = assessActionRate('refund', current)
  if (order === undefined || amount_cents === undefined) return rate
  if (order === null) {
    const { strength, large_strength } = parameters.unknown_refund
    const most = isLargeRefund(amount_cents, current) ? large_strength : strength
    return strongestOf([rate, measure(most, 'refund_of_unknown_order', { amount_cents })])
  }
  const { times, strength } = parameters.over_refund
  const refunded_cents = order.refunded_cents + amount_cents
  // Taxes or shipping can be missing in one of the amounts, but they do not make 50 %.
  if (refunded_cents <= times * order.amount_cents) return rate
  const numbers = { refunded_cents, order_amount_cents: order.amount_cents }
  return strongestOf([measure(strength, 'refunded_more_than_paid', numbers), rate])
}
