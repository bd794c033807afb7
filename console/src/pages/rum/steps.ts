/** Fills the steps without events with 0. */
import type { RumTrend } from '../../../../src/modules/rum/reading/schema.ts'

export function stepsOf<Point>(
  { since, until, step_ms, points }: RumTrend<Point>,
  valueOf: (point: Point) => number,
): { times: number[]; values: number[] } {
  const known = new Map(points.map((point) => [Date.parse(point.at), valueOf(point)]))
  const first = Math.floor(Date.parse(since) / step_ms) * step_ms
  const times: number[] = []
  for (let at = first; at <= Date.parse(until) && times.length < STEPS_MAX; at += step_ms) {
    times.push(at)
  }
  return { times, values: times.map((at) => known.get(at) ?? 0) }
}

const STEPS_MAX = 2000
