/** Computes the statistics about decisions. Pure. */
import { DAY_MS, MINUTE_MS } from '../../../platform/time-units.ts'
import type { Decision } from '../tables.ts'
import type {
  Amount,
  AnalystCounts,
  DecisionCounts,
  Precision,
  ReviewStatistics,
  WeekCounts,
} from './schema.ts'

export type DecidedFact = {
  subject_id: string
  subject: 'order' | 'cashier_action'
  /** 1 for the first decision about the subject. */
  number: number
  decision: Decision
  decided_at: Date
  decided_by: string
  /** Whether it was reported later, as a chargeback is. */
  is_outcome: boolean
  /** The decision that it changed, and its author. */
  previous: Decision | null
  previous_by: string | null
  is_current: boolean
  /** Null when retention has deleted the review. */
  queued_at: Date | null
  is_flagged: boolean
  flags: string[]
  /** Null for cashier actions, and for orders that retention has deleted. */
  amount_cents: number | null
  currency: string
  rules: string[]
  shadow_rules: string[]
}

type Computed = Pick<ReviewStatistics, 'total' | 'weeks' | 'analysts' | 'signals' | 'rules'>

const WEEK_MS = 7 * DAY_MS
/** 1970-01-05 was a Monday. */
const MONDAY_MS = 4 * DAY_MS

export const weekOf = (time_ms: number): number =>
  time_ms - ((((time_ms - MONDAY_MS) % WEEK_MS) + WEEK_MS) % WEEK_MS)

function grouped<Key>(
  facts: readonly DecidedFact[],
  keyOf: (fact: DecidedFact) => Key,
): Map<Key, DecidedFact[]> {
  const groups = new Map<Key, DecidedFact[]>()
  for (const fact of facts) {
    const group = groups.get(keyOf(fact))
    if (group) group.push(fact)
    else groups.set(keyOf(fact), [fact])
  }
  return groups
}

/** @param from Monday of the first week */
export function statisticsOf(facts: readonly DecidedFact[], from: Date, to: Date): Computed {
  const weeks: WeekCounts[] = []
  const byWeek = grouped(facts, ({ decided_at }) => weekOf(decided_at.getTime()))
  for (let week = from.getTime(); week < to.getTime(); week += WEEK_MS) {
    const day = new Date(week).toISOString().slice(0, 'YYYY-MM-DD'.length)
    weeks.push({ week: day, ...countsOf(byWeek.get(week) ?? []) })
  }
  const current = facts.filter(({ is_current }) => is_current)
  const signals = (['order', 'cashier_action'] as const).flatMap((subject) =>
    precisions(
      current.filter((fact) => fact.subject === subject),
      ({ flags }) => flags,
    ).map((one) => ({ ...one, subject })),
  )
  const rules = [
    ...precisions(current, (fact) => fact.rules).map((one) => ({ ...one, is_shadow: false })),
    ...precisions(current, (fact) => fact.shadow_rules).map((one) => ({ ...one, is_shadow: true })),
  ]
  return { total: countsOf(facts), weeks, analysts: analystsOf(facts), signals, rules }
}

function analystsOf(facts: readonly DecidedFact[]): AnalystCounts[] {
  const byAnalyst = grouped(
    facts.filter(({ is_outcome }) => !is_outcome),
    ({ decided_by }) => decided_by,
  )
  const overturned = new Map<string, number>()
  for (const { previous_by, decided_by, is_outcome } of facts) {
    if (previous_by === null || (!is_outcome && previous_by === decided_by)) continue
    overturned.set(previous_by, (overturned.get(previous_by) ?? 0) + 1)
  }
  return [...byAnalyst]
    .map(([by, own]) => ({ by, ...countsOf(own), overturned: overturned.get(by) ?? 0 }))
    .toSorted((a, b) => b.decisions - a.decisions || a.by.localeCompare(b.by))
}

function countsOf(facts: readonly DecidedFact[]): DecisionCounts {
  const human = facts.filter(({ is_outcome }) => !is_outcome)
  const minutes = human.flatMap(minutesOf).toSorted((a, b) => a - b)
  const frauds = human.filter(({ decision }) => decision === 'confirmed_fraud')
  return {
    decisions: human.length,
    frauds: frauds.length,
    legitimate: human.length - frauds.length,
    changes: human.filter(({ number }) => number > 1).length,
    median_minutes: quantile(minutes, 0.5),
    p90_minutes: quantile(minutes, 0.9),
    saved: amountsOf(frauds.filter(({ is_current, is_flagged }) => is_current && is_flagged)),
    lost: amountsOf(facts.filter(isLoss)),
  }
}

const isLoss = ({ is_outcome, decision, is_flagged, previous }: DecidedFact): boolean =>
  is_outcome && decision === 'confirmed_fraud' && (!is_flagged || previous === 'legitimate')

/** A subject that was never in the queue has a review with the time of its decision. */
function minutesOf({ number, queued_at, decided_at, is_flagged }: DecidedFact): number[] {
  if (number > 1 || queued_at === null || !is_flagged) return []
  return [Math.max(0, decided_at.getTime() - queued_at.getTime()) / MINUTE_MS]
}

const quantile = (sorted: readonly number[], share: number): number | null => {
  const value = sorted[Math.ceil(share * sorted.length) - 1]
  return value === undefined ? null : Math.round(10 * value) / 10
}

function amountsOf(facts: readonly DecidedFact[]): Amount[] {
  const sums = new Map<string, number>()
  for (const { amount_cents, currency } of facts) {
    if (amount_cents === null) continue
    sums.set(currency, (sums.get(currency) ?? 0) + amount_cents)
  }
  return [...sums]
    .map(([currency, amount_cents]) => ({ currency, amount_cents }))
    .toSorted((a, b) => a.currency.localeCompare(b.currency))
}

function precisions(
  facts: readonly DecidedFact[],
  namesOf: (fact: DecidedFact) => readonly string[],
): Precision[] {
  const counts = new Map<string, { decided: number; frauds: number }>()
  for (const fact of facts) {
    for (const name of new Set(namesOf(fact))) {
      const { decided, frauds } = counts.get(name) ?? { decided: 0, frauds: 0 }
      const more = fact.decision === 'confirmed_fraud' ? 1 : 0
      counts.set(name, { decided: decided + 1, frauds: frauds + more })
    }
  }
  return [...counts]
    .map(([name, { decided, frauds }]) => ({
      name,
      decided,
      frauds,
      precision: Math.round((1000 * frauds) / decided) / 1000,
    }))
    .toSorted((a, b) => b.decided - a.decided || a.name.localeCompare(b.name))
}
