/**
 * Conditions in the SQL of ClickHouse for a window of time. What is counted is taken from roll-ups by
 * the hour where an hour lies in the window as a whole, and from the rows themselves in the hours at
 * its edges, so that every number is exact to the millisecond.
 */
import type { Mode } from '../../../../platform/postgres/tables/platform.ts'
import type { Window } from '../../../../platform/told-dates.ts'
import { HOUR_MS } from './window.ts'

/** Whose logs. */
export type Scope = { org_id: string; mode: Mode }

export type Conditions = { sql: string; params: Record<string, unknown> }

/** The two halves of a window; `edges` is undefined when it has none. */
export type Halves = { whole: string; edges: string | undefined; params: Record<string, unknown> }

/** For the rows themselves. */
export function rowsIn(scope: Scope, window: Window): Conditions {
  const bounds = [
    ...scopeBounds(window),
    ...bound('hour_ms', '>=', 'first_hour', window.from_ms),
    ...bound('timestamp_ms', '>=', 'from_ms', window.from_ms),
    ...bound('timestamp_ms', '<=', 'until_ms', window.until_ms),
    ...bound('hour_ms', '<=', 'until_ms', window.until_ms),
  ]
  return { sql: bounds.join(' and '), params: paramsOf(scope, window) }
}

/** For counts. The first half may only be asked for columns of the roll-ups. */
export function halvesOf(scope: Scope, window: Window): Halves {
  const { from_ms, until_ms } = window
  const params = paramsOf(scope, window)
  const edgeHours = new Set<number>()
  const whole = scopeBounds(window)
  if (from_ms !== undefined) {
    const firstWhole = Math.ceil(from_ms / HOUR_MS) * HOUR_MS
    if (firstWhole !== from_ms) edgeHours.add(hourOf(from_ms))
    whole.push(...bound('hour_ms', '>=', 'first_whole', firstWhole))
    params['first_whole'] = firstWhole
  }
  if (until_ms !== undefined) {
    const behindWhole = hourOf(until_ms + 1)
    if (behindWhole !== until_ms + 1) edgeHours.add(hourOf(until_ms))
    whole.push(...bound('hour_ms', '<', 'behind_whole', behindWhole))
    params['behind_whole'] = behindWhole
  }
  const rows = rowsIn(scope, window).sql
  params['edge_hours'] = [...edgeHours]
  return {
    whole: whole.join(' and '),
    edges: edgeHours.size === 0 ? undefined : `${rows} and hour_ms in {edge_hours:Array(Int64)}`,
    params,
  }
}

/** One query about both halves; its rows have to be put together by what reads them. */
export function overHalves({ whole, edges }: Halves, about: (where: string) => string): string {
  return edges === undefined ? about(whole) : `${about(whole)}\nunion all\n${about(edges)}`
}

export const hourOf = (timeMs: number): number => Math.floor(timeMs / HOUR_MS) * HOUR_MS

function scopeBounds({ received_since }: Window): string[] {
  const bounds = ['org_id = {org_id:UUID}', 'mode = {mode:String}']
  if (received_since !== undefined) bounds.push('received_on >= {received_since:Date}')
  return bounds
}

const bound = (column: string, compared: string, name: string, value: number | undefined) =>
  value === undefined ? [] : [`${column} ${compared} {${name}:Int64}`]

function paramsOf(scope: Scope, { received_since, from_ms, until_ms }: Window) {
  const params: Record<string, unknown> = { org_id: scope.org_id, mode: scope.mode }
  if (received_since !== undefined) params['received_since'] = received_since
  if (until_ms !== undefined) params['until_ms'] = until_ms
  if (from_ms !== undefined) {
    params['from_ms'] = from_ms
    params['first_hour'] = hourOf(from_ms)
  }
  return params
}
