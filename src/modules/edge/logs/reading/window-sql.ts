/**
 * ClickHouse conditions for a window of time. Counts of hours that lie entirely in the window come
 * from the hourly roll-ups, those of the partial hours at its edges from the rows, so that every
 * number is exact to the millisecond.
 */
import type { Window } from '../../../../platform/date-range.ts'
import type { Owner } from '../../../../platform/owner.ts'
import { HOUR_MS } from '../../../../platform/time-units.ts'
import { hourOf } from '../query/time.ts'

export type Conditions = { sql: string; params: Record<string, unknown> }

/** Conditions for the whole and the partial hours of a window; `edges` is undefined without the latter. */
export type Halves = { whole: string; edges: string | undefined; params: Record<string, unknown> }

/** Conditions for reading the rows of a window. */
export function rowsIn(owner: Owner, window: Window): Conditions {
  const bounds = [
    ...scopeBounds(window),
    ...bound('hour_ms', '>=', 'first_hour', window.from_ms),
    ...bound('timestamp_ms', '>=', 'from_ms', window.from_ms),
    ...bound('timestamp_ms', '<=', 'until_ms', window.until_ms),
    ...bound('hour_ms', '<=', 'until_ms', window.until_ms),
  ]
  return { sql: bounds.join(' and '), params: paramsOf(owner, window) }
}

/** Conditions for counting. A query of the whole hours can only use columns of the roll-ups. */
export function halvesOf(owner: Owner, window: Window): Halves {
  const { from_ms, until_ms } = window
  const params = paramsOf(owner, window)
  const edgeHours = new Set<number>()
  const whole = scopeBounds(window)
  if (from_ms !== undefined) {
    const firstWhole = Math.ceil(from_ms / HOUR_MS) * HOUR_MS
    if (firstWhole !== from_ms) edgeHours.add(hourOf(from_ms))
    whole.push(...bound('hour_ms', '>=', 'first_whole', firstWhole))
    params['first_whole'] = firstWhole
  }
  if (until_ms !== undefined) {
    const afterWhole = hourOf(until_ms + 1)
    if (afterWhole !== until_ms + 1) edgeHours.add(hourOf(until_ms))
    whole.push(...bound('hour_ms', '<', 'after_whole', afterWhole))
    params['after_whole'] = afterWhole
  }
  const rows = rowsIn(owner, window).sql
  params['edge_hours'] = [...edgeHours]
  return {
    whole: whole.join(' and '),
    edges: edgeHours.size === 0 ? undefined : `${rows} and hour_ms in {edge_hours:Array(Int64)}`,
    params,
  }
}

/** Applies a query to both halves; the caller must aggregate the rows of the union again. */
export function overHalves({ whole, edges }: Halves, query: (where: string) => string): string {
  return edges === undefined ? query(whole) : `${query(whole)}\nunion all\n${query(edges)}`
}

function scopeBounds({ received_since }: Window): string[] {
  const bounds = ['org_id = {org_id:UUID}', 'mode = {mode:String}']
  if (received_since !== undefined) bounds.push('received_on >= {received_since:Date}')
  return bounds
}

const bound = (column: string, compared: string, name: string, value: number | undefined) =>
  value === undefined ? [] : [`${column} ${compared} {${name}:Int64}`]

function paramsOf(owner: Owner, { received_since, from_ms, until_ms }: Window) {
  const params: Record<string, unknown> = { org_id: owner.org_id, mode: owner.mode }
  if (received_since !== undefined) params['received_since'] = received_since
  if (until_ms !== undefined) params['until_ms'] = until_ms
  if (from_ms !== undefined) {
    params['from_ms'] = from_ms
    params['first_hour'] = hourOf(from_ms)
  }
  return params
}
