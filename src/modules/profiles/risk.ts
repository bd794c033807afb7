/**
 * Risk of a profile: its riskiest recent orders and its check, faded with a half-life of 14 days.
 * Repetition adds a little to the strongest, so many harmless orders never add up to a suspect.
 */
import { DAY_MS, decay, MINUTE_MS } from '../behaviour/index.ts'
import { RISK_LEVELS, type RiskLevel, riskLevel } from '../risk/index.ts'

export type ProfileRisk = {
  /** Level as last told. */
  readonly level: RiskLevel
  /** Strongest recent scores of orders and decisions, five at most. */
  readonly scores: readonly RiskEntry[]
  /** Strongest recent check, null when none says anything. */
  readonly check: RiskEntry | null
}

/** When the order happened, the check was told, the decision was made: in minutes since 1970. */
export type RiskEntry = readonly [score: number, minute: number]

export type ToldRisk = { risk_score: number; risk_level: RiskLevel }

export const EMPTY_RISK: ProfileRisk = { level: 'low', scores: [], check: null }

const HALF_LIFE_MS = 14 * DAY_MS
const ENTRIES_MAX = 5
/** A level is left downwards only this far below its edge; upwards at once. */
const HYSTERESIS = 3
/** Scores in the low band do not add up, however many there are. */
const LOW_MAX = 25
/** How much of a further score counts beside the strongest, and the most that all of them add. */
const REPEATED_WEIGHT = 0.5
const REPEATED_MAX = 15
/** A check says a little less of a profile than an order of its own does. */
const CHECK_WEIGHT = 0.8
/** Falls below critical after a week. */
const FRAUD_SCORE = 95

/** What is left of a score that no longer counts. */
const FADED_MAX = 0.5

const EDGES: Record<RiskLevel, number> = { low: 0, medium: 25, high: 50, critical: 70 }

/**
 * Score and level as they are shown: they agree with the specification's table at any time. While
 * the value lies up to three points below the level, the score is held at the edge of the level.
 */
export function riskOf({ risk }: { readonly risk: ProfileRisk }, now_ms: number): ToldRisk {
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
  return told(withEntry(risk, entryOf(risk_score, at_ms), now_ms), now_ms)
}

/** @param check_risk strongest recent check, 0-100; told again and again, it counts once */
export function learnCheckRisk(risk: ProfileRisk, check_risk: number, now_ms: number): ProfileRisk {
  const score = Math.round(check_risk * CHECK_WEIGHT)
  if (score === 0 || (risk.check !== null && score <= fadedScore(risk.check, now_ms))) {
    return told(risk, now_ms)
  }
  return told({ ...risk, check: entryOf(score, now_ms) }, now_ms)
}

/** What an order scored, and when it happened. */
export type ScoredEvent = { risk_score: number; at_ms: number }

/** A confirmed fraud makes a profile critical for a week; a cleared order no longer counts. */
export function learnRiskDecision(
  risk: ProfileRisk,
  order: ScoredEvent,
  decision: 'confirmed_fraud' | 'legitimate',
  now_ms: number,
): ProfileRisk {
  const rest = withoutEntry(risk, entryOf(order.risk_score, order.at_ms))
  if (decision === 'legitimate') return told(rest, now_ms)
  return told(withEntry(rest, entryOf(FRAUD_SCORE, now_ms), now_ms), now_ms)
}

/** Takes a decision back: the order counts again as it was scored. */
export function forgetRiskDecision(
  risk: ProfileRisk,
  order: ScoredEvent,
  previous: { decision: 'confirmed_fraud' | 'legitimate'; decided_at_ms: number },
  now_ms: number,
): ProfileRisk {
  const isFraud = previous.decision === 'confirmed_fraud'
  const rest = isFraud ? withoutEntry(risk, entryOf(FRAUD_SCORE, previous.decided_at_ms)) : risk
  return told(withEntry(rest, entryOf(order.risk_score, order.at_ms), now_ms), now_ms)
}

/** The value behind the score, 0-100: the strongest entry and a part of the others. */
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

/** 1 minus what a score adds beside a stronger one. */
function repeatedPart(score: number): number {
  return 1 - (REPEATED_WEIGHT * Math.max(0, score - LOW_MAX)) / (100 - LOW_MAX)
}

function fadedScore(entry: RiskEntry, now_ms: number): number {
  return entry[0] * decay(now_ms - entry[1] * MINUTE_MS, HALF_LIFE_MS)
}

/** Up to the full minute: nothing fades within the one that it happens in. */
const entryOf = (score: number, at_ms: number): RiskEntry => [score, Math.ceil(at_ms / MINUTE_MS)]

/** Keeps the strongest; in the low band only one, since those do not add up. */
function withEntry(risk: ProfileRisk, entry: RiskEntry, now_ms: number): ProfileRisk {
  const added = fadedScore(entry, now_ms)
  if (added < FADED_MAX) return risk
  const kept: RiskEntry[] = []
  let strongest = 0
  let weakest = -1
  let weakest_score = Number.MAX_VALUE
  for (const known of risk.scores) {
    const score = fadedScore(known, now_ms)
    if (score > strongest) strongest = score
    // What is low now stays low, so it matters only while nothing exceeds it.
    if (score < FADED_MAX || (score < LOW_MAX && score <= added)) continue
    kept.push(known)
    if (score < weakest_score) {
      weakest = kept.length - 1
      weakest_score = score
    }
  }
  if (added < LOW_MAX && added <= strongest) return risk
  if (kept.length >= ENTRIES_MAX) {
    if (weakest_score >= added) return risk
    kept.splice(weakest, 1)
  }
  kept.push(entry)
  return { ...risk, scores: kept }
}

function withoutEntry(risk: ProfileRisk, [score, minute]: RiskEntry): ProfileRisk {
  const i = risk.scores.findIndex((entry) => entry[0] === score && entry[1] === minute)
  if (i < 0) return risk
  return { ...risk, scores: risk.scores.filter((_, other) => other !== i) }
}

function told(risk: ProfileRisk, now_ms: number): ProfileRisk {
  const { risk_level } = riskOf({ risk }, now_ms)
  return risk_level === risk.level ? risk : { ...risk, level: risk_level }
}
