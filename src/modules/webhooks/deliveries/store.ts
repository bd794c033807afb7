/** The history side of deliveries. An organisation's are those of its endpoints. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { DeliveryStatus, WebhookTables } from '../../../platform/postgres/tables/webhooks.ts'
import type { DeliveryStatistics } from '../history/schema.ts'

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
export async function listDeliveries(
  db: Db,
  orgId: string,
  endpointId: string,
  limit: number,
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    select ${COLUMNS} from ${WITH_ENDPOINT}
    where d.endpoint_id = ${endpointId} and ${isOwned(orgId)}
    order by d.id desc limit ${limit}`.execute(db)
  return rows
}

export type TestDelivery = Pick<Row, 'id' | 'event_id' | 'event_type' | 'body'>

/** To one endpoint, whatever it subscribes to. @returns undefined when there is no such endpoint */
export async function insertTestDelivery(
  db: Db,
  orgId: string,
  endpointId: string,
  { id, event_id, event_type, body }: TestDelivery,
): Promise<DeliveryRow | undefined> {
  const { rows } = await sql<DeliveryRow>`
    insert into webhook_deliveries as d
      (org_id, endpoint_id, id, event_id, event_type, body, due_at, created_at)
    select w.org_id, w.id, ${id}::uuid, ${event_id}::uuid, ${event_type}::text, ${body}::text, now(), now()
    from webhook_endpoints w where w.id = ${endpointId} and ${isOwned(orgId)}
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

/** One look per endpoint of the organisation: the id alone does not say whose it is. */
export async function findDelivery(
  db: Db,
  orgId: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  const { rows } = await sql<DeliveryRow>`
    select ${COLUMNS} from webhook_endpoints w cross join lateral (
      select * from webhook_deliveries
      where org_id = w.org_id and endpoint_id = w.id and id = ${id} limit 1) d
    where ${isOwned(orgId)}`.execute(db)
  return rows[0]
}

/**
 * Due now. An attempt that is under way goes on and counts as the retry.
 * @returns undefined when it has neither failed nor been given up
 */
export async function retryDelivery(
  db: Db,
  { endpoint_id, id }: Pick<Row, 'endpoint_id' | 'id'>,
): Promise<DeliveryRow | undefined> {
  const { rows } = await sql<DeliveryRow>`
    update webhook_deliveries d set status = 'pending', due_at = now()
    where d.endpoint_id = ${endpoint_id} and d.id = ${id} and d.status in ('failed', 'exhausted')
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

export type ReplayQuery = {
  statuses: readonly DeliveryStatus[]
  from: Date
  until: Date
  /** Only those behind this one: what is sent again may soon be as it was. */
  after: string
  limit: number
}

/** Oldest first, with the whole schedule ahead of them again. @returns their ids, in that order */
export async function replayDeliveries(
  db: Db,
  orgId: string,
  endpointId: string,
  { statuses, from, until, after, limit }: ReplayQuery,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with chosen as (
      select d.endpoint_id, d.id
      from ${WITH_ENDPOINT}
      where d.endpoint_id = ${endpointId} and ${isOwned(orgId)}
        and d.status = any (${[...statuses]}::text[]) and d.lease_id is null and d.id > ${after}
        and d.created_at >= ${from} and d.created_at < ${until} and ${isAround(from, until)}
      order by d.id limit ${limit}
      for update of d skip locked
    ), replayed as (
      update webhook_deliveries d set status = 'pending', attempts = 0, due_at = now()
      from chosen c where d.endpoint_id = c.endpoint_id and d.id = c.id
      returning d.id
    )
    select id from replayed order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Over the newest `rowsMax` of a time, so that the cost has an end. */
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
      where d.endpoint_id = ${endpointId} and ${isOwned(orgId)}
        and d.created_at >= ${from} and d.created_at < ${until} and ${isAround(from, until)}
      order by d.id desc limit ${rowsMax}
    )
    select count(*) as counted,
      (select coalesce(jsonb_object_agg(status, number), '{}'::jsonb)
        from (select status, count(*) as number from recent group by status) s) as by_status,
      (select d.due_at from ${WITH_ENDPOINT}
        where d.endpoint_id = ${endpointId} and ${isOwned(orgId)} and d.due_at is not null
        order by d.due_at limit 1) as oldest_due_at,
      percentile_disc(0.5) within group (order by latency_ms) as latency_p50_ms,
      percentile_disc(0.95) within group (order by latency_ms) as latency_p95_ms
    from recent`.execute(db)
  const [found] = rows
  if (!found) throw new Error('an aggregate answers one row')
  return found
}

/**
 * From endpoint to endpoint, because the primary key has the oldest of each in front: so what is
 * kept is not read. @returns number of rows, at most `SWEEP_ROWS_MAX`
 */
export async function sweepDeliveries(db: Db, before: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    with recursive endpoint (id) as (
      (select endpoint_id from webhook_deliveries order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from webhook_deliveries d
        where d.endpoint_id > e.id order by d.endpoint_id limit 1)
      from endpoint e where e.id is not null
    ), old as (
      select d.endpoint_id, d.id from endpoint e cross join lateral (
        select endpoint_id, id from webhook_deliveries
        where endpoint_id = e.id and id < ${idAt(before, 0)}::uuid
        order by id limit ${sql.lit(SWEEP_ROWS_MAX)}) d
      limit ${sql.lit(SWEEP_ROWS_MAX)}
    )
    delete from webhook_deliveries d using old
    where d.endpoint_id = old.endpoint_id and d.id = old.id`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/** Deliveries of deleted endpoints, and an endpoint that has none any more. @returns number of rows */
export async function sweepDeletedEndpoints(db: Db): Promise<number> {
  const { rows } = await sql`
    with gone as (
      select id from webhook_endpoints where status = 'deleted' order by id limit 1
    ), swept as (
      delete from webhook_deliveries d using (
        select d.endpoint_id, d.id from gone cross join lateral (
          select endpoint_id, id from webhook_deliveries where endpoint_id = gone.id
          limit ${sql.lit(SWEEP_ROWS_MAX)}) d
      ) old
      where d.endpoint_id = old.endpoint_id and d.id = old.id
      returning d.id
    ), last as (
      delete from webhook_endpoints w using gone
      where w.id = gone.id and not exists (
        select from webhook_deliveries d where d.endpoint_id = gone.id)
      returning w.id
    )
    select id from swept union all select id from last`.execute(db)
  return rows.length
}

const SWEEP_ROWS_MAX = 5000

/** Ids begin with the time; a minute to spare, because rows are dated by their transaction. */
const isAround = (from: Date, until: Date): RawBuilder<unknown> =>
  sql`d.id >= ${idAt(from, -60_000)}::uuid and d.id <= ${idAt(until, 60_000)}::uuid`

function idAt(time: Date, shiftMs: number): string {
  const hex = Math.max(0, time.getTime() + shiftMs)
    .toString(16)
    .padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`
}
