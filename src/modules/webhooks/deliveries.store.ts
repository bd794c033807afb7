/** SQL of deliveries as members read, retry and replay them, and of their retention. */
import { type RawBuilder, sql } from 'kysely'
import { lowestIdAt } from '../../platform/ids.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import { expirePortion } from '../../platform/postgres/partitions/index.ts'
import type { DeliveryStatistics } from './history/schema.ts'
import type { DeliveryStatus, WebhookTables } from './tables.ts'

type Row = WebhookTables['webhook_deliveries']
export type DeliveryRow = Omit<
  Row,
  'org_id' | 'lease_id' | 'leased_until' | 'body' | 'attempted_at' | 'failed_attempts'
>

const COLUMNS = sql`d.endpoint_id, d.id, d.event_id, d.event_type, d.status, d.attempts, d.due_at,
  d.response_status, d.response_body, d.error, d.latency_ms, d.created_at`

const WITH_ENDPOINT = sql`webhook_deliveries d
    join webhook_endpoints w on w.id = d.endpoint_id and w.org_id = d.org_id`

const isOwned = (orgId: string): RawBuilder<unknown> =>
  sql`w.org_id = ${orgId} and w.status <> 'deleted'`

/** Newest first. */
export async function listDeliveries(db: Db, orgId: string, endpointId: string, limit: number) {
  const { rows } = await sql<DeliveryRow>`
    select ${COLUMNS} from ${WITH_ENDPOINT}
    where d.org_id = ${orgId} and d.endpoint_id = ${endpointId} and ${isOwned(orgId)}
    order by d.id desc limit ${limit}`.execute(db)
  return rows
}

export type TestDelivery = Pick<Row, 'id' | 'event_id' | 'event_type' | 'body'>

/** Ignores the subscriptions of the endpoint. @returns undefined when the endpoint does not exist */
export async function insertTestDelivery(
  db: Db,
  orgId: string,
  endpointId: string,
  { id, event_id, event_type, body }: TestDelivery,
): Promise<DeliveryRow | undefined> {
  const { rows } = await sql<DeliveryRow>`
    with endpoint as materialized (
      select w.org_id, w.id from webhook_endpoints w where w.id = ${endpointId} and ${isOwned(orgId)}
    )
    insert into webhook_deliveries as d
      (org_id, endpoint_id, id, event_id, event_type, body, due_at, created_at)
    select w.org_id, w.id, ${id}::uuid, ${event_id}::uuid, ${event_type}::text, ${body}::text, now(), now()
    from endpoint w
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

/** Searches endpoint by endpoint, because the primary key of deliveries names the endpoint before the id. */
export async function findDelivery(db: Db, orgId: string, id: string) {
  const { rows } = await sql<DeliveryRow>`
    select ${COLUMNS} from webhook_endpoints w cross join lateral (
      select * from webhook_deliveries
      where org_id = w.org_id and endpoint_id = w.id and id = ${id} limit 1) d
    where ${isOwned(orgId)}`.execute(db)
  return rows[0]
}

/**
 * Makes the delivery due now. An attempt that is already under way counts as the retry.
 * @returns undefined unless the delivery is failed or exhausted
 */
export async function retryDelivery(
  db: Db,
  orgId: string,
  { endpoint_id, id }: Pick<Row, 'endpoint_id' | 'id'>,
) {
  const { rows } = await sql<DeliveryRow>`
    update webhook_deliveries d set status = 'pending', due_at = now()
    where d.org_id = ${orgId} and d.endpoint_id = ${endpoint_id} and d.id = ${id}
      and d.status in ('failed', 'exhausted')
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

export type ReplayQuery = {
  statuses: readonly DeliveryStatus[]
  from: Date
  until: Date
  /** Only deliveries after this id: without it, one that fails again would be replayed twice. */
  after: string
  limit: number
}

/** Restarts deliveries at the beginning of the retry schedule. @returns their ids, oldest first */
export async function replayDeliveries(
  db: Db,
  orgId: string,
  endpointId: string,
  { statuses, from, until, after, limit }: ReplayQuery,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with selected as (
      select d.org_id, d.endpoint_id, d.id
      from ${WITH_ENDPOINT}
      where d.org_id = ${orgId} and d.endpoint_id = ${endpointId} and ${isOwned(orgId)}
        and d.status = any (${[...statuses]}::text[]) and d.lease_id is null and d.id > ${after}
        and d.created_at >= ${from} and d.created_at < ${until} and ${isAround(from, until)}
      order by d.id limit ${limit}
      for update of d skip locked
    ), replayed as (
      update webhook_deliveries d set status = 'pending', attempts = 0, due_at = now()
      from selected c
      where d.org_id = c.org_id and d.endpoint_id = c.endpoint_id and d.id = c.id
      returning d.id
    )
    select id from replayed order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Reads at most the newest `rowsMax` deliveries of the range, which bounds the cost. */
export async function readStatistics(
  db: Db,
  orgId: string,
  endpointId: string,
  { from, until, rowsMax }: { from: Date; until: Date; rowsMax: number },
): Promise<DeliveryStatistics> {
  const { rows } = await sql<DeliveryStatistics>`
    with recent as (
      select d.status, d.latency_ms
      from ${WITH_ENDPOINT}
      where d.org_id = ${orgId} and d.endpoint_id = ${endpointId} and ${isOwned(orgId)}
        and d.created_at >= ${from} and d.created_at < ${until} and ${isAround(from, until)}
      order by d.id desc limit ${rowsMax}
    )
    select count(*) as counted,
      (select coalesce(jsonb_object_agg(status, number), '{}'::jsonb)
        from (select status, count(*) as number from recent group by status) s) as by_status,
      (select d.due_at from ${WITH_ENDPOINT}
        where d.org_id = ${orgId} and d.endpoint_id = ${endpointId} and ${isOwned(orgId)}
          and d.due_at is not null
        order by d.due_at limit 1) as oldest_due_at,
      percentile_disc(0.5) within group (order by latency_ms) as latency_p50_ms,
      percentile_disc(0.95) within group (order by latency_ms) as latency_p95_ms
    from recent`.execute(db)
  const [found] = rows
  if (!found) throw new Error('an aggregate query returned no row')
  return found
}

/** Drops a partition of deliveries, pending ones included. @returns whether something was deleted */
export const expireDeliveries = async (db: Database, before: Date): Promise<boolean> =>
  await expirePortion(db, { table: 'webhook_deliveries', before, deletes_first: true })

/** Deletes deliveries of one deleted endpoint, then the endpoint itself. @returns number of rows */
export async function sweepDeletedEndpoints(db: Db): Promise<number> {
  const { rows } = await sql`
    with gone as (
      select org_id, id from webhook_endpoints where status = 'deleted' order by id limit 1
    ), swept as (
      delete from webhook_deliveries d using (
        select d.org_id, d.endpoint_id, d.id from gone cross join lateral (
          select org_id, endpoint_id, id from webhook_deliveries
          where org_id = gone.org_id and endpoint_id = gone.id
          limit ${sql.lit(SWEEP_ROWS_MAX)}) d
      ) old
      where d.org_id = old.org_id and d.endpoint_id = old.endpoint_id and d.id = old.id
      returning d.id
    ), last as (
      delete from webhook_endpoints w using gone
      where w.org_id = gone.org_id and w.id = gone.id and not exists (
        select from webhook_deliveries d
        where d.org_id = gone.org_id and d.endpoint_id = gone.id)
      returning w.id
    )
    select id from swept union all select id from last`.execute(db)
  return rows.length
}

const SWEEP_ROWS_MAX = 5000

/**
 * Narrows a time range by id, since ids begin with their time (UUID version 7). The minute on both sides
 * covers rows whose `created_at` is the start of their transaction.
 */
const isAround = (from: Date, until: Date): RawBuilder<unknown> =>
  sql`d.id >= ${lowestIdAt(from.getTime() - 60_000)}::uuid
    and d.id <= ${lowestIdAt(until.getTime() + 60_000)}::uuid`
