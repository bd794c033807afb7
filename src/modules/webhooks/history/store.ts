/** SQL of the delivery history. Deliveries of deleted endpoints are never returned. */

import { type RawBuilder, sql } from 'kysely'
import { lowestIdAt } from '../../../platform/ids.ts'
import type { Mode } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import {
  type HistoryBounds,
  type HistoryPage,
  readHistoryPage,
} from '../../../platform/postgres/history-page.ts'
import { isOfPortal } from '../endpoints.store.ts'
import type { DeliveryStatus, WebhookTables } from '../tables.ts'
import type { EndpointRate, ListedDelivery, SeriesPoint } from './schema.ts'

export type DeliveryFilters = {
  status?: DeliveryStatus | undefined
  event_type?: string | undefined
}

const LISTED = [
  'event_id',
  'event_type',
  'status',
  'attempts',
  'attempted_at',
  'response_status',
  'error',
  'latency_ms',
  'created_at',
]

const listedColumns = (row: 'd' | 'e'): RawBuilder<unknown> => {
  const columns = ['id', ...LISTED].map((column) => sql.ref(`${row}.${column}`))
  const due = sql`${sql.ref(`${row}.due_at`)} as next_attempt_at`
  const lease = sql`coalesce(${sql.ref(`${row}.leased_until`)} > now(), false) as is_under_way`
  const test = sql`${sql.ref(`${row}.body`)} is not null as is_test`
  return sql.join([...columns, due, lease, test])
}

/** Newest first. The caller has checked that the endpoint belongs to the organization. */
export async function listDeliveryPage(
  db: Db,
  orgId: string,
  endpointId: string,
  { status, event_type }: DeliveryFilters,
  walk: HistoryBounds,
): Promise<HistoryPage<ListedDelivery>> {
  const hasStatus = status === undefined ? sql`true` : sql`e.status = ${status}`
  const hasType = event_type === undefined ? sql`true` : sql`e.event_type = ${event_type}`
  const query = {
    table: 'webhook_deliveries' as const,
    within: sql`t.org_id = ${orgId} and t.endpoint_id = ${endpointId}`,
    columns: [...LISTED, 'due_at', 'leased_until', 'body'],
    where: sql`${hasStatus} and ${hasType}`,
    shown: listedColumns('e'),
  }
  return await readHistoryPage<ListedDelivery>(db, query, walk)
}

type Row = WebhookTables['webhook_deliveries']
export type FoundDelivery = ListedDelivery &
  Pick<Row, 'response_body' | 'failed_attempts'> & {
    url: string
    sent_body: string | null
  }

export async function findWholeDelivery(db: Db, orgId: string, endpointId: string, id: string) {
  const { rows } = await sql<FoundDelivery>`
    select ${listedColumns('d')}, d.response_body, d.failed_attempts, w.url,
      coalesce(d.body, e.body) as sent_body
    from webhook_deliveries d
    join webhook_endpoints w on w.id = d.endpoint_id and w.org_id = d.org_id
    left join events e on e.org_id = d.org_id and e.id = d.event_id
    where d.org_id = ${orgId} and d.endpoint_id = ${endpointId} and d.id = ${id}
      and w.org_id = ${orgId} and w.status <> 'deleted'`.execute(db)
  return rows[0]
}

const COUNTS = sql`count(*) filter (where status = 'succeeded') as succeeded,
  count(*) filter (where status = 'failed') as failed,
  count(*) filter (where status = 'exhausted') as exhausted,
  count(*) filter (where status = 'pending') as pending`

type RatesQuery = {
  from: Date
  /** Maximum number of deliveries read per endpoint, which bounds the cost. */
  rowsMax: number
  mode?: Mode | undefined
  portal_id?: string | undefined
}

export async function readRates(
  db: Db,
  orgId: string,
  { from, rowsMax, mode, portal_id }: RatesQuery,
): Promise<EndpointRate[]> {
  const { rows } = await sql<EndpointRate>`
    select w.id as endpoint_id, r.* from webhook_endpoints w cross join lateral (
      select ${COUNTS}, count(*) >= ${rowsMax}::integer as is_partial,
        percentile_disc(0.95) within group (order by latency_ms) as latency_p95_ms
      from (
        select status, latency_ms from webhook_deliveries
        where org_id = w.org_id and endpoint_id = w.id
          and id >= ${lowestIdAt(from.getTime())}::uuid
        order by id desc limit ${rowsMax}
      ) recent
    ) r
    where w.org_id = ${orgId} and w.status <> 'deleted'
      and ${mode === undefined ? sql`true` : sql`w.mode = ${mode}`} and ${isOfPortal(portal_id)}`.execute(
    db,
  )
  return rows
}

export type SeriesQuery = { from: Date; until: Date; step_ms: number; rowsMax: number }

/**
 * Reads at most the newest `rowsMax` deliveries of the range. The caller has checked that the endpoint
 * belongs to the organization.
 */
export async function readSeries(
  db: Db,
  orgId: string,
  endpointId: string,
  { from, until, step_ms, rowsMax }: SeriesQuery,
): Promise<SeriesPoint[]> {
  const { rows } = await sql<SeriesPoint>`
    select date_bin(${step_ms}::float8 * interval '1 millisecond', created_at, to_timestamp(0)) as at,
      ${COUNTS},
      percentile_disc(0.5) within group (order by latency_ms) as latency_p50_ms,
      percentile_disc(0.95) within group (order by latency_ms) as latency_p95_ms
    from (
      select created_at, status, latency_ms from webhook_deliveries
      where org_id = ${orgId} and endpoint_id = ${endpointId}
        and id >= ${lowestIdAt(from.getTime())}::uuid
        and id < ${lowestIdAt(until.getTime())}::uuid
      order by id desc limit ${rowsMax}
    ) recent
    group by 1 order by 1`.execute(db)
  return rows
}
