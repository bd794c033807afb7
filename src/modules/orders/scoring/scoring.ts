/**
 * Scores one order: what its six signals say, what they come to together, and what everybody
 * concerned remembers of it. Pure; the same order, states and time give the same bits.
 */
import {
  type Assessment,
  eventTime,
  FLOOR_FINDING,
  type Measurement,
  measured,
} from '../../behaviour/index.ts'
import { combinedProbability, type RiskLevel, riskLevel, scoreOf } from '../../risk/index.ts'
import { raiseAlerts } from './alerts.ts'
import { amountContext, assessOrderAmount } from './amount-signal.ts'
import { assessDevice } from './device-signal.ts'
import type { OrderFacts } from './facts.ts'
import { learnOrder } from './learn.ts'
import { assessLocation } from './location-signal.ts'
import { isOnlyNew } from './newness.ts'
import { assessOutcomes } from './outcome-signal.ts'
import type { OrderParameters } from './parameters.ts'
import { assessPattern } from './pattern-signal.ts'
import { FLAG_OF, ORDER_SIGNALS, type OrderFlag, type OrderSignal } from './signals.ts'
import type { OrderStates } from './states.ts'
import { assessTime } from './time-signal.ts'
import { assessOrderVelocity, countOrder, velocityFact } from './velocity-signal.ts'

export type ScoredOrder = {
  risk: OrderRisk
  measurements: Record<OrderSignal, Measurement>
  /**
   * What the score is the rounding of, 0-1, from signals that are not rounded either: it ranks two
   * orders of the same score. Not part of the contract.
   */
  probability: number
  /** undefined where there is no key; === the given one when unchanged */
  next: OrderStates
  /** Set when the level of the profile changed. */
  previous_risk_level: RiskLevel | undefined
  /** Patterns for which an alert is due: once per profile, else device, and pattern in 24 hours. */
  alerts: string[]
}

export type OrderRisk = {
  risk_score: number
  risk_level: RiskLevel
  signals: Record<OrderSignal, number>
  flags: OrderFlag[]
  flagged_for_review: boolean
}

type Measurements = Record<OrderSignal, Measurement>
type Assessments = Record<OrderSignal, Assessment>

/** Specification, "Risk": orders from this score on are flagged for review. */
export const REVIEW_SCORE = 50

export function scoreOrder(
  facts: OrderFacts,
  states: OrderStates,
  now_ms: number,
  parameters: OrderParameters,
): ScoredOrder {
  const at_ms = eventTime(facts.ordered_at_ms, now_ms)
  const context = amountContext(facts, states, at_ms)
  const amount = assessOrderAmount(facts, context, parameters)
  const { unusual, z } = amount
  const event = velocityFact(facts, context, { at_ms, unusual }, parameters)
  const velocities = countOrder(facts, states, event)
  const counted = { facts, velocities, isTiny: event.is_tiny }
  const outcomes = assessOutcomes(states, at_ms)
  const location = assessLocation(facts, states, at_ms, parameters)
  const found: Assessments = {
    velocity: assessOrderVelocity(counted, states, parameters),
    amount_anomaly: amount,
    location_anomaly: location,
    device_anomaly: worse(
      assessDevice(facts, states, at_ms, { location, amount }, parameters),
      outcomes.device,
    ),
    time_anomaly: assessTime(facts, states, at_ms, parameters),
    pattern: worse(assessPattern(facts, states, at_ms, parameters), outcomes.pattern),
  }
  const isNew = (states.organization?.orders ?? 0) < parameters.history.known_orders
  const { measurements, probability } = isNew
    ? newcomer(found, parameters)
    : { measurements: allMeasured(found), probability: probabilityOf(found, parameters) }
  const risk = riskOf(measurements, probability, parameters)
  const learnt = learnOrder(
    {
      facts,
      states,
      at_ms,
      amount: context,
      z,
      isOnlyNew: isOnlyNew(found, parameters),
      velocities,
    },
    risk.risk_score,
    now_ms,
    parameters,
  )
  const { next, alerts } = raiseAlerts(learnt.next, measurements.pattern, now_ms, parameters)
  const { previous_risk_level } = learnt
  return { risk, measurements, probability, next, previous_risk_level, alerts }
}

const probabilityOf = (found: Assessments, { weights }: OrderParameters): number =>
  combinedProbability(weights, {
    velocity: found.velocity.strength,
    amount_anomaly: found.amount_anomaly.strength,
    location_anomaly: found.location_anomaly.strength,
    device_anomaly: found.device_anomaly.strength,
    time_anomaly: found.time_anomaly.strength,
    pattern: found.pattern.strength,
  })

const allMeasured = (found: Assessments): Measurements => ({
  velocity: measured(found.velocity),
  amount_anomaly: measured(found.amount_anomaly),
  location_anomaly: measured(found.location_anomaly),
  device_anomaly: measured(found.device_anomaly),
  time_anomaly: measured(found.time_anomaly),
  pattern: measured(found.pattern),
})

function riskOf(
  measurements: Measurements,
  probability: number,
  { flag_scores }: OrderParameters,
): OrderRisk {
  const risk_score = scoreOf(probability, 0)
  const flags: OrderFlag[] = []
  for (const signal of ORDER_SIGNALS) {
    if (measurements[signal].score >= flag_scores[signal]) flags.push(FLAG_OF[signal])
  }
  return {
    risk_score,
    risk_level: riskLevel(risk_score),
    signals: {
      velocity: measurements.velocity.score,
      amount_anomaly: measurements.amount_anomaly.score,
      location_anomaly: measurements.location_anomaly.score,
      device_anomaly: measurements.device_anomaly.score,
      time_anomaly: measurements.time_anomaly.score,
      pattern: measurements.pattern.score,
    },
    flags,
    flagged_for_review: risk_score >= REVIEW_SCORE,
  }
}

/**
 * What is ordinary for a new organisation is not known yet, so that statistics raise no flag and
 * bring no order to review there; hard rules do.
 */
function newcomer(
  found: Assessments,
  parameters: OrderParameters,
): { measurements: Measurements; probability: number } {
  const { new_score_max } = parameters.history
  const limited = { ...found }
  const hard = { ...found }
  for (const signal of ORDER_SIGNALS) {
    const assessment = found[signal]
    if (HARD_FINDINGS.has(assessment.finding)) continue
    const strength = Math.min(assessment.strength, new_score_max)
    limited[signal] = { ...assessment, score: Math.round(strength), strength }
    hard[signal] = { ...assessment, score: 0, strength: 0 }
  }
  const all = Math.min(probabilityOf(limited, parameters), new_score_max / 100)
  return {
    measurements: allMeasured(limited),
    probability: Math.max(all, probabilityOf(hard, parameters)),
  }
}

/** Findings that need no knowledge of what is ordinary. */
const HARD_FINDINGS: ReadonlySet<string | null> = new Set([
  FLOOR_FINDING,
  'impossible_travel',
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

/** The stronger one's finding, the numbers of both. */
function worse(a: Assessment, b: Assessment): Assessment {
  if (b.strength === 0) return a
  const numbers = { ...a.numbers, ...b.numbers }
  return b.strength > a.strength ? { ...b, numbers } : { ...a, numbers }
}
