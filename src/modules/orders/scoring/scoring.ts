/**
 * Scores an order by its six signals and computes the updated states. Pure: the same order, states
 * and time give bit-identical results.
 */
import {
  type Assessment,
  assessAmount,
  assessHour,
  EMPTY_HOURS,
  eventTime,
  FLOOR_FINDING,
  type Measurement,
  measured,
  stronger,
} from '../../behavior/index.ts'
import {
  alertsOfRules,
  type CompiledRules,
  NO_CUSTOM_RULES,
  ruleSteps,
} from '../../custom-rules/index.ts'
import {
  type Adjustment,
  combinedProbability,
  type RiskLevel,
  recordOf,
  riskLevel,
  scoreOf,
} from '../../risk/index.ts'
import type { OrderRisk } from '../schema.ts'
import { adjustOrder, listStepsOfOrder } from './adjusted.ts'
import { raiseAlerts } from './alerts.ts'
import { amountContext } from './amount-signal.ts'
import { assessDevice } from './device-signal.ts'
import type { OrderFacts } from './facts.ts'
import { learnOrder } from './learn.ts'
import { assessLocation } from './location-signal.ts'
import { isOnlyNew } from './newness.ts'
import { assessOutcomes } from './outcome-signal.ts'
import type { OrderParameters } from './parameters.ts'
import { assessPattern } from './pattern-signal.ts'
import { orderRuleFacts, type RuleSubject } from './rule-facts.ts'
import { FLAG_OF, ORDER_SIGNALS, type OrderSignal } from './signals.ts'
import type { OrderStates } from './states.ts'
import { assessOrderVelocity, countOrder, tinyBelow, velocityFact } from './velocity-signal.ts'

export type ScoredOrder = {
  risk: OrderRisk
  measurements: Record<OrderSignal, Measurement>
  /** What custom rules and lists have changed about the score, in the sequence of the changes. */
  adjustments: readonly Adjustment[]
  /** What rules in shadow would have changed. */
  shadows: readonly Adjustment[]
  /**
   * Unrounded score, 0-1, from unrounded signals; it ranks orders with the same score. Not part of
   * the contract.
   */
  probability: number
  /** States after the order: undefined where there is no key, identical (`===`) when unchanged. */
  next: OrderStates
  /** Set when the risk level of the profile changed. */
  previous_risk_level: RiskLevel | undefined
  /** Patterns for which an alert is raised. */
  alerts: string[]
}

type Measurements = Record<OrderSignal, Measurement>
type Assessments = Record<OrderSignal, Assessment>

/** Orders with at least this score are flagged for review (specification, "Risk"). */
export const REVIEW_SCORE = 50

export function scoreOrder(
  facts: OrderFacts,
  states: OrderStates,
  now_ms: number,
  parameters: OrderParameters,
  custom: CompiledRules = NO_CUSTOM_RULES,
): ScoredOrder {
  const at_ms = eventTime(facts.ordered_at_ms, now_ms)
  const context = amountContext(facts, states, at_ms, parameters.amounts)
  const amount = assessAmount(context, facts.amount_cents, parameters.amounts)
  const { unusual, z } = amount
  const event = velocityFact(facts, context, { at_ms, unusual }, parameters)
  const velocities = countOrder(facts, states, event, context.who)
  const counted = {
    facts,
    velocities,
    isTiny: event.is_tiny,
    below_cents: tinyBelow(context, parameters.amounts),
  }
  const outcomes = assessOutcomes(states, at_ms)
  const { profile, organization } = states
  const location = assessLocation(facts, states, at_ms, parameters)
  const hours = {
    own: profile?.hours ?? EMPTY_HOURS,
    organization: organization?.hours ?? EMPTY_HOURS,
  }
  const found: Assessments = {
    velocity: assessOrderVelocity(counted, states, parameters),
    amount_anomaly: amount,
    location_anomaly: location,
    device_anomaly: stronger(
      assessDevice(facts, states, { at_ms, location, amount }, parameters),
      outcomes.device,
    ),
    time_anomaly: assessHour(hours, facts.local_hour, at_ms, parameters.hours),
    pattern: stronger(
      assessPattern(facts, states, { at_ms, amount: { who: context.who, z } }, parameters),
      outcomes.pattern,
    ),
  }
  const isNew = (organization?.orders ?? 0) < parameters.history.known_orders
  const assessed = isNew
    ? scoreNewOrganization(found, parameters)
    : { found, probability: probabilityOf(found, parameters) }
  const subject = { facts, states, velocities, own: context.own, at_ms, ...assessed }
  const adjusted = scoreOfAssessed(subject, custom, parameters)
  const { measurements, probability, adjustments, shadows } = adjusted
  const risk = riskOf(measurements, probability, parameters)
  const learned = learnOrder(
    {
      facts,
      states,
      at_ms,
      amount: context,
      z,
      shared_z: amount.shared_z,
      waits: amount.waits,
      isOnlyNew: isOnlyNew(found, parameters),
      velocities,
    },
    risk.risk_score,
    now_ms,
    parameters,
  )
  const pattern = patternOfAlert(found.pattern, measurements.pattern)
  const byRules = alertsOfRules(adjustments).map((name) => `rule “${name}”`)
  const { next, alerts } = raiseAlerts(learned.next, pattern, now_ms, parameters, byRules)
  const { previous_risk_level } = learned
  return {
    risk,
    measurements,
    adjustments,
    shadows,
    probability,
    next,
    previous_risk_level,
    alerts,
  }
}

type Assessed = { found: Assessments; probability: number }

const NOTHING: readonly Adjustment[] = []

/** Rules come first, so that an entry of a list has the last word. */
function scoreOfAssessed(
  subject: Assessed & Omit<RuleSubject, 'probability'>,
  custom: CompiledRules,
  parameters: OrderParameters,
) {
  const { found, probability, facts } = subject
  const measurements = allMeasured(found)
  const rules = custom.of('order')
  const lists = listStepsOfOrder(facts.lists)
  if (rules.length === 0 && lists.length === 0) {
    return { measurements, probability, adjustments: NOTHING, shadows: NOTHING }
  }
  const base = isOrdinary(measurements) ? 0 : probability
  const steps =
    rules.length === 0
      ? lists
      : [
          ...ruleSteps<OrderSignal>(
            rules,
            orderRuleFacts({ ...subject, probability: base }, custom.groups('order')),
            REVIEW,
          ),
          ...lists,
        ]
  if (steps.length === 0) {
    return { measurements, probability, adjustments: NOTHING, shadows: NOTHING }
  }
  const adjusted = adjustOrder(found, base, steps, parameters)
  // A rule in shadow changes nothing, not even what ranks orders with the same score.
  return adjusted.adjustments.length === 0 ? { ...adjusted, measurements, probability } : adjusted
}

const REVIEW = { review_score: REVIEW_SCORE }

/** Alerts name what was observed: a list raises none, but may lower a score so that none is raised. */
const patternOfAlert = ({ finding, score }: Measurement, adjusted: Measurement): Measurement => ({
  ...adjusted,
  finding,
  score: Math.min(score, adjusted.score),
})

const probabilityOf = (found: Assessments, { weights }: OrderParameters): number =>
  combinedProbability(
    weights,
    recordOf(ORDER_SIGNALS, (signal) => found[signal].strength),
  )

const allMeasured = (found: Assessments): Measurements =>
  recordOf(ORDER_SIGNALS, (signal) => measured(found[signal]))

function riskOf(
  measurements: Measurements,
  probability: number,
  { flag_scores }: OrderParameters,
): OrderRisk {
  const risk_score = isOrdinary(measurements) ? 0 : scoreOf(probability, 0)
  const raised = ORDER_SIGNALS.filter((signal) => measurements[signal].score >= flag_scores[signal])
  return {
    risk_score,
    risk_level: riskLevel(risk_score),
    signals: recordOf(ORDER_SIGNALS, (signal) => measurements[signal].score),
    flags: raised.map((signal) => FLAG_OF[signal]),
    flagged_for_review: risk_score >= REVIEW_SCORE,
  }
}

/** The remains of ordinary signals rank orders, but are no risk and have no reason. */
const isOrdinary = (measurements: Measurements): boolean =>
  ORDER_SIGNALS.every((signal) => measurements[signal].score === 0)

/**
 * For a new organization it is not yet known what is usual, so statistics raise no flag and send no
 * order to review; hard rules do.
 */
function scoreNewOrganization(found: Assessments, parameters: OrderParameters): Assessed {
  const { new_score_max } = parameters.history
  const limited = { ...found }
  const hard = { ...found }
  for (const signal of ORDER_SIGNALS) {
    const assessment = found[signal]
    if (HARD_FINDINGS.has(assessment.finding)) continue
    const strength = Math.min(assessment.strength, new_score_max)
    const score = Math.min(assessment.score, Math.round(strength))
    limited[signal] = { ...assessment, score, strength }
    hard[signal] = { ...assessment, score: 0, strength: 0 }
  }
  const all = Math.min(probabilityOf(limited, parameters), new_score_max / 100)
  return {
    found: limited,
    probability: Math.max(all, probabilityOf(hard, parameters)),
  }
}

/** Findings that do not depend on what is usual. */
const HARD_FINDINGS: ReadonlySet<string | null> = new Set([
  FLOOR_FINDING,
  'impossible_travel',
  'country_mismatch',
  'shared_device',
  'shared_ip',
  'rapid_device_change',
  'flagged_device',
  'recent_frauds_on_device',
  'recent_frauds',
  'shared_reputation',
  'total_mismatch',
  'line_mismatch',
  'payment_hopping',
  'crypto_new_device',
])
