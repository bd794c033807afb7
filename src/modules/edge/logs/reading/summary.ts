/** Computes the overview and the trends from counts. */
import { DAY_MS, HOUR_MS } from '../../../../platform/time-units.ts'
import { ERROR_LEVELS, LEVELS } from '../level.ts'
import type { CountedLevel, Overview, TrendPoint } from '../schema.ts'
import type { BucketCount, LevelCount } from './counts.store.ts'
import { isoTime } from './record.ts'
import type { Granularity } from './schema.ts'
import type { Span } from './window.ts'

export const BUCKET_MS: Record<Granularity, number> = { hour: HOUR_MS, day: DAY_MS }

export type Counts = {
  levels: readonly LevelCount[]
  devices: Overview['devices']
  error_types: number
  logs_24h: number
  /** Number of logs in the preceding 24 hours. */
  logs_24h_before: number
}

export function overviewOf({ levels, devices, ...counts }: Counts): Overview {
  const by_level = byLevel(levels)
  const total = sumOf(by_level)
  const errors = sumOf(by_level.filter(({ level }) => ERROR_LEVELS.includes(level)))
  const { error_types: unique_types, logs_24h, logs_24h_before } = counts
  return {
    logs: { total, by_level },
    devices,
    errors: { total: errors, unique_types, error_rate: percent(errors, total) },
    trends: { logs_24h, logs_24h_change: changeOf(logs_24h_before, logs_24h) },
  }
}

/** Change in percent with two decimals; 100 if there was nothing before. */
export function changeOf(before: number, after: number): number {
  if (before === 0) return after === 0 ? 0 : 100
  return percent(after - before, before)
}

/** Number of buckets that the span touches. */
export const bucketsIn = ({ from_ms, until_ms }: Span, bucketMs: number): number =>
  Math.floor(until_ms / bucketMs) - Math.floor(from_ms / bucketMs) + 1

/** Returns every bucket from the first to the last, including those without logs. */
export function trendsOf(
  counts: readonly BucketCount[],
  span: Span,
  bucketMs: number,
): TrendPoint[] {
  const first = Math.floor(span.from_ms / bucketMs) * bucketMs
  const byBucket = new Map<number, LevelCount[]>()
  for (const count of counts) {
    const bucket = byBucket.get(count.bucket_ms)
    if (bucket) bucket.push(count)
    else byBucket.set(count.bucket_ms, [count])
  }
  return Array.from({ length: bucketsIn(span, bucketMs) }, (_, index) => {
    const bucket_ms = first + index * bucketMs
    const by_level = byLevel(byBucket.get(bucket_ms) ?? [])
    return { timestamp: isoTime(bucket_ms), total: sumOf(by_level), by_level }
  })
}

/** Returns all levels, least serious first. */
const byLevel = (counts: readonly LevelCount[]): CountedLevel[] =>
  LEVELS.map((level) => ({
    level,
    count: counts.reduce((sum, each) => (each.level === level ? sum + each.logs : sum), 0),
  }))

const sumOf = (counts: readonly CountedLevel[]): number =>
  counts.reduce((sum, { count }) => sum + count, 0)

const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100
