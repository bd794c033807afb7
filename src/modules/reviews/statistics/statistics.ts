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

/** Decisions that have all of this in common. */
export type DecidedGroup = {
  /** Monday in UTC, as YYYY-MM-DD. */
  week: string
  count: number
  subject: 'order' | 'cashier_action'
  /** Whether they changed earlier decisions. */
  is_change: boolean
  decision: Decision
  decided_by: string
  /** Whether it was reported later, as a chargeback is. */
  is_outcome: boolean
  /** The decision that they changed, and its author. */
  previous: Decision | null
  previous_by: string | null
  is_current: boolean
  is_flagged: boolean
  flags: string[]
  /** Times from the queue to the first decision. Decisions of what was not in the queue have none. */
  waited_ms: number[]
  /** Their sum; null for cashier actions. */
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

function by<Key>(
  groups: readonly DecidedGroup[],
  keyOf: (group: DecidedGroup) => Key,
): Map<Key, DecidedGroup[]> {
  const found = new Map<Key, DecidedGroup[]>()
  for (const group of groups) {
    const others = found.get(keyOf(group))
    if (others) others.push(group)
    else found.set(keyOf(group), [group])
  }
  return found
}

/** @param from Monday of the first week */
export function statisticsOf(groups: readonly DecidedGroup[], from: Date, to: Date): Computed {
  const weeks: WeekCounts[] = []
  const byWeek = by(groups, ({ week }) => week)
  for (let week = from.getTime(); week < to.getTime(); week += WEEK_MS) {
    const day = new Date(week).toISOString().slice(0, 'YYYY-MM-DD'.length)
    weeks.push({ week: day, ...countsOf(byWeek.get(day) ?? []) })
  }
  const current = groups.filter(({ is_current }) => is_current)
  const signals = (['order', 'cashier_action'] as const).flatMap((subject) =>
    precisions(
      current.filter((group) => group.subject === subject),
      ({ flags }) => flags,
    ).map((one) => ({ ...one, subject })),
  )
  const rules = [
    ...precisions(current, (group) => group.rules).map((one) => ({ ...one, is_shadow: false })),
    ...precisions(current, (group) => group.shadow_rules).map((one) => ({
      ...one,
      is_shadow: true,
    })),
  ]
  return { total: countsOf(groups), weeks, analysts: analystsOf(groups), signals, rules }
}

function analystsOf(groups: readonly DecidedGroup[]): AnalystCounts[] {
  const byAnalyst = by(
    groups.filter(({ is_outcome }) => !is_outcome),
    ({ decided_by }) => decided_by,
  )
  const overturned = new Map<string, number>()
  for (const { previous_by, decided_by, is_outcome, count } of groups) {
    if (previous_by === null || (!is_outcome && previous_by === decided_by)) continue
    overturned.set(previous_by, (overturned.get(previous_by) ?? 0) + count)
  }
  return [...byAnalyst]
    .map(([name, own]) => ({ by: name, ...countsOf(own), overturned: overturned.get(name) ?? 0 }))
    .toSorted((a, b) => b.decisions - a.decisions || a.by.localeCompare(b.by))
}

const countOf = (groups: readonly DecidedGroup[]): number =>
  groups.reduce((sum, { count }) => sum + count, 0)

function countsOf(groups: readonly DecidedGroup[]): DecisionCounts {
  const human = groups.filter(({ is_outcome }) => !is_outcome)
  const minutes = human
    .flatMap(({ waited_ms }) => waited_ms.map((waited) => Math.max(0, waited) / MINUTE_MS))
    .toSorted((a, b) => a - b)
  const frauds = human.filter(({ decision }) => decision === 'confirmed_fraud')
  return {
    decisions: countOf(human),
    frauds: countOf(frauds),
    legitimate: countOf(human) - countOf(frauds),
    changes: countOf(human.filter(({ is_change }) => is_change)),
    median_minutes: quantile(minutes, 0.5),
    p90_minutes: quantile(minutes, 0.9),
    saved: amountsOf(frauds.filter(({ is_current, is_flagged }) => is_current && is_flagged)),
    lost: amountsOf(groups.filter(isLoss)),
  }
}

const isLoss = ({ is_outcome, decision, is_flagged, previous }: DecidedGroup): boolean =>
  is_outcome && decision === 'confirmed_fraud' && (!is_flagged || previous === 'legitimate')

const quantile = (sorted: readonly number[], share: number): number | null => {
  const value = sorted[Math.ceil(share * sorted.length) - 1]
  return value === undefined ? null : Math.round(10 * value) / 10
}

function amountsOf(groups: readonly DecidedGroup[]): Amount[] {
  const sums = new Map<string, number>()
  for (const { amount_cents, currency } of groups) {
    if (amount_cents === null) continue
    sums.set(currency, (sums.get(currency) ?? 0) + amount_cents)
  }
  return [...sums]
    .map(([currency, amount_cents]) => ({ currency, amount_cents }))
    .toSorted((a, b) => a.currency.localeCompare(b.currency))
}

function precisions(
  groups: readonly DecidedGroup[],
  namesOf: (group: DecidedGroup) => readonly string[],
): Precision[] {
  const counts = new Map<string, { decided: number; frauds: number }>()
  for (const group of groups) {
    for (const name of new Set(namesOf(group))) {
      const { decided, frauds } = counts.get(name) ?? { decided: 0, frauds: 0 }
      const more = group.decision === 'confirmed_fraud' ? group.count : 0
      counts.set(name, { decided: decided + group.count, frauds: frauds + more })
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
