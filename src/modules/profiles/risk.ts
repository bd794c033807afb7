/**
 * Risk of a profile: its riskiest recent orders and its check, decayed with a half-life of 14 days.
 * Repetition adds little to the strongest: any number of harmless orders does not make a suspect.
 */
import { DAY_MS, MINUTE_MS } from '../../platform/time-units.ts'
import { decay } from '../behavior/index.ts'
import { RISK_LEVELS, type RiskLevel, riskLevel } from '../risk/index.ts'

export type ProfileRisk = {
  /** Last level that was published. */
  readonly level: RiskLevel
  /** Strongest recent scores of orders and decisions, at most five. */
  readonly scores: readonly RiskEntry[]
  /** Strongest recent check; null without one. */
  readonly check: RiskEntry | null
}

/** `minute` is the time of the order, check or decision in minutes since 1970. */
export type RiskEntry = readonly [score: number, minute: number]

export type CurrentRisk = { risk_score: number; risk_level: RiskLevel }

export const EMPTY_RISK: ProfileRisk = { level: 'low', scores: [], check: null }

const HALF_LIFE_MS = 14 * DAY_MS
const ENTRIES_MAX = 5
/** A level is left downward only this far below its edge, but upward immediately. */
const HYSTERESIS = 3
/** Scores in the low band never add up. */
const LOW_MAX = 25
/** Weight of further scores next to the strongest, and the maximum that they add together. */
const REPEATED_WEIGHT = 0.5
const REPEATED_MAX = 15
/** A check says slightly less about a profile than its own orders. */
const CHECK_WEIGHT = 0.8
/** Decays below critical after a week. */
const FRAUD_SCORE = 95

/** Decayed scores below this no longer count. */
const FADED_MAX = 0.5

const EDGES: Record<RiskLevel, number> = { low: 0, medium: 25, high: 50, critical: 70 }

/**
 * Returns the published score and level, which always agree with the table of the specification:
 * while the value lies up to three points below the level, the score stays at the edge of the
 * level.
 */
export function riskOf({ risk }: { readonly risk: ProfileRisk }, now_ms: number): CurrentRisk {
  const value = Math.round(valueOf(risk, now_ms))
  let risk_level = riskLevel(value)
  for (let i = RISK_LEVELS.indexOf(risk.level); i > RISK_LEVELS.indexOf(risk_level); i -= 1) {
    const level = RISK_LEVELS[i]
    if (level !== undefined && value >= EDGES[level] - HYSTERESIS) risk_level = level
  }
  return { risk_score: Math.max(value, EDGES[risk_level]), risk_level }
}

/** @param at_ms event time of the order */
export function learnOrderScore(
  risk: ProfileRisk,
  risk_score: number,
  at_ms: number,
  now_ms: number,
): ProfileRisk {
  return withPublishedLevel(withEntry(risk, entryOf(risk_score, at_ms), now_ms), now_ms)
}

/** @param check_risk strongest recent check, 0-100; repeated reports of a check count once */
export function learnCheckRisk(risk: ProfileRisk, check_risk: number, now_ms: number): ProfileRisk {
  const score = Math.round(check_risk * CHECK_WEIGHT)
  if (score === 0 || (risk.check !== null && score <= fadedScore(risk.check, now_ms))) {
    return withPublishedLevel(risk, now_ms)
  }
  return withPublishedLevel({ ...risk, check: entryOf(score, now_ms) }, now_ms)
}

export type ScoredEvent = { risk_score: number; at_ms: number }

/**
 * Learns a decision: a confirmed fraud makes the profile critical for a week, and a legitimate
 * order no longer counts.
 */
export function learnRiskDecision(
  risk: ProfileRisk,
  order: ScoredEvent,
  decision: 'confirmed_fraud' | 'legitimate',
  now_ms: number,
): ProfileRisk {
  const rest = withoutEntry(risk, entryOf(order.risk_score, order.at_ms))
  if (decision === 'legitimate') return withPublishedLevel(rest, now_ms)
  return withPublishedLevel(withEntry(rest, entryOf(FRAUD_SCORE, now_ms), now_ms), now_ms)
}

/** Takes a decision back, so the order counts by its score again. */
export function forgetRiskDecision(
  risk: ProfileRisk,
  order: ScoredEvent,
  previous: { decision: 'confirmed_fraud' | 'legitimate'; decided_at_ms: number },
  now_ms: number,
): ProfileRisk {
  const isFraud = previous.decision === 'confirmed_fraud'
  const rest = isFraud ? withoutEntry(risk, entryOf(FRAUD_SCORE, previous.decided_at_ms)) : risk
  return withPublishedLevel(withEntry(rest, entryOf(order.risk_score, order.at_ms), now_ms), now_ms)
}

/** Returns the unrounded score, 0-100: the strongest entry and a part of the others. */
function valueOf({ scores, check }: ProfileRisk, now_ms: number): number {
  let strongest = check === null ? 0 : fadedScore(check, now_ms)
  let without = repeatedPart(strongest)
  let part_of_strongest = without
  for (const entry of scores) {
    const score = fadedScore(entry, now_ms)
    const part = repeatedPart(score)
    without *= part
    if (score > strongest) {
      strongest = score
      part_of_strongest = part
    }
  }
  const others = 1 - without / part_of_strongest
  return Math.min(strongest + REPEATED_MAX, strongest + (100 - strongest) * others)
}

/** Returns 1 minus the part that a score adds to a stronger one. */
function repeatedPart(score: number): number {
  return 1 - (REPEATED_WEIGHT * Math.max(0, score - LOW_MAX)) / (100 - LOW_MAX)
}

function fadedScore(entry: RiskEntry, now_ms: number): number {
  return entry[0] * decay(now_ms - entry[1] * MINUTE_MS, HALF_LIFE_MS)
}

/** Rounds the minute up, so nothing decays within the minute of the event. */
const entryOf = (score: number, at_ms: number): RiskEntry => [score, Math.ceil(at_ms / MINUTE_MS)]

/** Keeps the strongest entries, but only one in the low band because those do not add up. */
function withEntry(risk: ProfileRisk, entry: RiskEntry, now_ms: number): ProfileRisk {
  const added = fadedScore(entry, now_ms)
  if (added < FADED_MAX) return risk
  const strongestEntries: RiskEntry[] = []
  let strongest = 0
  let weakest = -1
  let weakest_score = Number.MAX_VALUE
  for (const known of risk.scores) {
    const score = fadedScore(known, now_ms)
    if (score > strongest) strongest = score
    // Low entries stay low, so they matter only while nothing exceeds them.
    if (score < FADED_MAX || (score < LOW_MAX && score <= added)) continue
    strongestEntries.push(known)
    if (score < weakest_score) {
      weakest = strongestEntries.length - 1
      weakest_score = score
    }
  }
  if (added < LOW_MAX && added <= strongest) return risk
  if (strongestEntries.length >= ENTRIES_MAX) {
    if (weakest_score >= added) return risk
    strongestEntries.splice(weakest, 1)
  }
  strongestEntries.push(entry)
  return { ...risk, scores: strongestEntries }
}

function withoutEntry(risk: ProfileRisk, [score, minute]: RiskEntry): ProfileRisk {
  const i = risk.scores.findIndex((entry) => entry[0] === score && entry[1] === minute)
  if (i < 0) return risk
  return { ...risk, scores: risk.scores.filter((_, other) => other !== i) }
}

function withPublishedLevel(risk: ProfileRisk, now_ms: number): ProfileRisk {
  const { risk_level } = riskOf({ risk }, now_ms)
  return risk_level === risk.level ? risk : { ...risk, level: risk_level }
}
