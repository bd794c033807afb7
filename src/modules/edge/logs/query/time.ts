/** Reads `time:yesterday` and its like, and resolves such a condition to bounds. */

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, WEEK_MS } from '../../../../platform/time-units.ts'
import { readTimestamp } from '../../../../platform/timestamp.ts'
import {
  COMPARISONS,
  lowered,
  type Moments,
  type Node,
  type Period,
  type TimeCondition,
} from './tree.ts'

/** Both are inclusive; an undefined one does not apply. */
export type Bounds = { from_ms?: number | undefined; until_ms?: number | undefined }

const UNITS_MS: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: WEEK_MS,
}
const AGO = /^-?([1-9]\d{0,3})([smhdw])$/
const DAYS = new Map([
  ['today', 0],
  ['yesterday', 1],
])
const MONTH = /^\d{4}-\d\d$/
/** Length of a time that is written without its smaller parts. */
const PRECISIONS: readonly [RegExp, number][] = [
  [/^\d{4}-\d\d-\d\d$/, DAY_MS],
  [/^.{10}.\d\d:\d\d(?:z|[+-]\d\d:?\d\d)?$/, MINUTE_MS],
  [/^.{10}.\d\d:\d\d:\d\d(?:z|[+-]\d\d:?\d\d)?$/, SECOND_MS],
]

const WANTED = 'time needs today, yesterday, a length such as 15m, 2h or 7d, or a time such as'

export function timeCondition(value: string): TimeCondition | { problem: string } {
  const comparison = COMPARISONS.find((sign) => value.startsWith(sign))
  const label = value.slice(comparison?.length ?? 0)
  const period = periodOf(lowered(label))
  if (period === undefined) return { problem: `${WANTED} 2026-03-01 or 2026-03-01T12:00Z` }
  return { kind: 'time', period, comparison, label }
}

function periodOf(text: string): Period | undefined {
  const days_ago = DAYS.get(text)
  if (days_ago !== undefined) return { days_ago }
  const [, count, unit = ''] = AGO.exec(text) ?? []
  if (count !== undefined) return { ago_ms: Number(count) * (UNITS_MS[unit] ?? 0) }
  const from_ms = readTimestamp(MONTH.test(text) ? `${text}-01` : text)
  if (from_ms === undefined) return undefined
  if (MONTH.test(text)) return { from_ms, until_ms: nextMonth(from_ms) - 1 }
  const [, length = 1] = PRECISIONS.find(([pattern]) => pattern.test(text)) ?? []
  return { from_ms, until_ms: from_ms + length - 1 }
}

const nextMonth = (timeMs: number): number => new Date(timeMs).setUTCMonth(monthOf(timeMs) + 1)
const monthOf = (timeMs: number): number => new Date(timeMs).getUTCMonth()

/** `<yesterday` ends before it, `<=yesterday` with it. A last length of time has no end. */
export function boundsOf({ period, comparison }: TimeCondition, nowMs: number): Bounds {
  const { from_ms, until_ms } = momentsOf(period, nowMs)
  if (comparison === undefined) return 'ago_ms' in period ? { from_ms } : { from_ms, until_ms }
  switch (comparison) {
    case '>=':
      return { from_ms }
    case '>':
      return { from_ms: until_ms + 1 }
    case '<':
      return { until_ms: from_ms - 1 }
    case '<=':
      return { until_ms }
  }
}

function momentsOf(period: Period, nowMs: number): Moments {
  if ('ago_ms' in period) {
    const at = nowMs - period.ago_ms
    return { from_ms: at, until_ms: at }
  }
  if ('days_ago' in period) {
    const from_ms = Math.floor(nowMs / DAY_MS - period.days_ago) * DAY_MS
    return { from_ms, until_ms: from_ms + DAY_MS - 1 }
  }
  return period
}

/** The bounds that every entry of the query meets; undefined if no time applies to the whole query. */
export function timeOf(node: Node, nowMs: number): Bounds | undefined {
  const all = node.kind === 'and' ? node.nodes : [node]
  const times = all.filter((each) => each.kind === 'time').map((each) => boundsOf(each, nowMs))
  return times.length === 0 ? undefined : times.reduce(intersectionOf)
}

export const hasTime = (node: Node): boolean => {
  if (node.kind === 'not') return hasTime(node.node)
  if (node.kind === 'and' || node.kind === 'or') return node.nodes.some(hasTime)
  return node.kind === 'time'
}

export const intersectionOf = (a: Bounds, b: Bounds): Bounds => ({
  from_ms: highest(a.from_ms, b.from_ms),
  until_ms: lowest(a.until_ms, b.until_ms),
})

const highest = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b)
const lowest = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)

export const hourOf = (timeMs: number): number => Math.floor(timeMs / HOUR_MS) * HOUR_MS
