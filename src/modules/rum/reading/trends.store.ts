/** Queries of RUM events over time. Steps are aligned to 1970, in UTC. */
import type { ClickHouse } from '../../../platform/clickhouse/client.ts'
import type { DeviceClass } from '../device-class.ts'
import { THRESHOLDS, type VitalName } from '../vitals.ts'
import type { RumActivity, RumVital } from './schema.ts'
import { type Scope, type SessionFilter, samplesIn, within } from './store.ts'

type VitalPoint = { at_ms: number } & Pick<RumVital, 'p75' | 'samples' | 'good' | 'poor'>

/** A value belongs to the step of its last report. */
export async function listVitalPoints(
  clickhouse: ClickHouse,
  scope: Scope,
  filter: {
    name: VitalName
    page?: string | undefined
    device?: DeviceClass | undefined
    step_ms: number
  },
): Promise<VitalPoint[]> {
  const { name, page, device, step_ms } = filter
  const samples = samplesIn(scope, { device, names: [name] })
  return await clickhouse.query<VitalPoint>(
    `${samples.sql}
    select intDiv(sample_ms, {step_ms:Int64}) * {step_ms:Int64} as at_ms,
      quantileExactInclusive(0.75)(value) as p75, count() as samples,
      countIf(value <= {good:Float64}) as good, countIf(value > {poor:Float64}) as poor
    from samples ${page === undefined ? '' : 'where sample_page = {page:String}'}
    group by at_ms order by at_ms limit {points_max:UInt32}`,
    {
      ...samples.params,
      ...(page !== undefined && { page }),
      good: THRESHOLDS[name].good,
      poor: THRESHOLDS[name].poor,
      step_ms,
      points_max: POINTS_MAX,
    },
  )
}

type ActivityPoint = { at_ms: number } & Omit<RumActivity['points'][number], 'at'>

export async function listActivity(
  clickhouse: ClickHouse,
  scope: Scope,
  filter: Omit<SessionFilter, 'limit'> & { step_ms: number },
): Promise<ActivityPoint[]> {
  const { page, error_fingerprint, step_ms } = filter
  const { sql, params } = within(scope)
  const conditions = [sql, `type in ('view', 'action', 'error')`]
  if (page !== undefined) conditions.push('page = {page:String}')
  if (error_fingerprint !== undefined) {
    conditions.push(`type = 'error' and error_fingerprint = {error_fingerprint:String}`)
  }
  return await clickhouse.query<ActivityPoint>(
    `select intDiv(timestamp_ms, {step_ms:Int64}) * {step_ms:Int64} as at_ms,
      countIf(type = 'view') as views, countIf(type = 'action') as actions,
      countIf(type = 'error') as errors, uniqExact(session_id) as sessions
    from rum_events
    where ${conditions.join(' and ')}
    group by at_ms order by at_ms limit {points_max:UInt32}`,
    {
      ...params,
      ...(page !== undefined && { page }),
      ...(error_fingerprint !== undefined && { error_fingerprint }),
      step_ms,
      points_max: POINTS_MAX,
    },
  )
}

/** Exceeds the number of steps in the retention period for every length of step. */
const POINTS_MAX = 2000
