/**
 * SQL of claiming and settling deliveries. All times are compared by the clock of the database, so that
 * nodes with different clocks do not take over each other's leases.
 */
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { uuidArray } from '../../platform/postgres/arrays.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import { lastStatement } from '../../platform/postgres/dialect.ts'
import { shuffled } from '../../platform/postgres/shuffled.ts'
import type { DeliveryStatus, PauseReason, WebhookTables } from './tables.ts'

type Endpoint = Selectable<WebhookTables['webhook_endpoints']>

export type ClaimQuery = {
  /** Marks the rows of this claim. */
  lease_id: string
  lease_ms: number
  deliveries_max: number
  /** Limit per endpoint across all nodes. */
  per_endpoint_max: number
  per_host_max: number
  per_org_max: number
  /** Number of attempts of this process that are under way, per host and per organization. */
  hosts_in_flight: ReadonlyMap<string, number>
  orgs_in_flight: ReadonlyMap<string, number>
  /** Limit for all failing endpoints together; each of them gets one attempt at a time. */
  failing_max: number
  /** Deliveries that this process has sent but not settled. They do not count in the limits. */
  sent: readonly string[]
  /** Endpoint after which the claim starts, so that all endpoints get their turn. */
  after: string
}

/** `attempts` includes the attempt that this claim starts. Secrets and headers are sealed. */
export type ClaimedDelivery = Pick<
  WebhookTables['webhook_deliveries'],
  'org_id' | 'endpoint_id' | 'id' | 'event_id' | 'event_type' | 'attempts'
> &
  Pick<Endpoint, 'url' | 'host' | 'secret' | 'previous_secret' | 'sealed_headers'> & {
    lease_id: string
    was_failing: boolean
    is_test: boolean
    /** Null when the event has been deleted. */
    body: string | null
  }

export type ClaimResult = {
  deliveries: ClaimedDelivery[]
  /** Last endpoint that was examined, if the claim filled up before it reached the end. */
  stopped_at: string | undefined
}

/**
 * Hops from endpoint to endpoint in the index of unfinished deliveries and examines only the first
 * `per_endpoint_max` due rows of each, ordered by time and id so that all nodes see the same rows. Of
 * these it takes the ones that are not leased. The window therefore enforces the limit across nodes, and
 * the backlog of one endpoint costs the others nothing. Where a host or an organization exceeds its
 * limit, endpoints with the fewest deliveries in the window go first, and ties are broken at random.
 *
 * An endpoint with a rate earns its deliveries over time, up to those of one second. `paced_until` is the time
 * until which they are spent, so an endpoint that has to wait is skipped like one that is paused.
 */
export async function claimDeliveries(db: Database, query: ClaimQuery): Promise<ClaimResult> {
  const fullHosts = fullOf(query.hosts_in_flight, query.per_host_max)
  const fullOrgs = fullOf(query.orgs_in_flight, query.per_org_max)
  const { rows } = await byIndex<ClaimedDelivery & { picked: number; stopped_at: string }>(
    db,
    sql`
    with recursive endpoint (id) as (
      (select endpoint_id from webhook_deliveries
        where due_at is not null and endpoint_id > ${query.after}::uuid
        order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from webhook_deliveries d
        where d.due_at is not null and d.endpoint_id > e.id
        order by d.endpoint_id limit 1)
      from endpoint e where e.id is not null
    ), picked as (
      select d.endpoint_id, d.id, w.org_id, w.host, w.failing_since is not null as is_failing,
        d.place, ${shuffled(sql`d.id`)} as lot
      from endpoint e cross join lateral (
        select id, org_id, host, failing_since, case when rate_per_second is not null then least(
            rate_per_second,
            coalesce(floor(extract(epoch from now() - paced_until) * rate_per_second), rate_per_second)
          )::bigint end as allowed
        from webhook_endpoints
        where id = e.id and status = 'active'
          and (paced_until is null or rate_per_second is null
            or paced_until <= now() - interval '1 second' / rate_per_second)
          and host <> all (${fullHosts}::text[]) and org_id <> all (${fullOrgs}::uuid[])
          and (failing_since is null or ${query.failing_max}::integer > 0)
        limit 1
      ) w cross join lateral (
        select * from (
          select *, row_number() over (order by due_at, id) as place from (
            select endpoint_id, id, leased_until, due_at from webhook_deliveries
            where endpoint_id = w.id and due_at <= now() and id <> all (${uuidArray(query.sent)}::uuid[])
            order by due_at, id
            limit case when w.failing_since is null then ${query.per_endpoint_max}::integer else 1 end
          ) few
        ) numbered
        where leased_until is null or leased_until <= now()
        order by place limit w.allowed
      ) d
      limit ${query.deliveries_max}::integer
    ), counted as (
      select p.org_id, p.endpoint_id, p.id, p.is_failing,
        coalesce(h.jobs, 0) + row_number() over (partition by p.host order by place, lot) as on_host,
        coalesce(o.jobs, 0) + row_number() over (partition by p.org_id order by place, lot) as of_org,
        row_number() over (partition by p.is_failing order by place, lot) as among_failing
      from picked p left join unnest(
        ${[...query.hosts_in_flight.keys()]}::text[], ${[...query.hosts_in_flight.values()]}::integer[]
      ) as h (host, jobs) on h.host = p.host left join unnest(
        ${[...query.orgs_in_flight.keys()]}::uuid[], ${[...query.orgs_in_flight.values()]}::integer[]
      ) as o (org_id, jobs) on o.org_id = p.org_id
    ), locked as (
      select d.org_id, d.endpoint_id, d.id from counted c cross join lateral (
        select org_id, endpoint_id, id from webhook_deliveries
        where org_id = c.org_id and endpoint_id = c.endpoint_id and id = c.id
          -- Checked again, because another process may have changed the row. Adding an interval
          -- keeps the planner from searching the index of due times for it.
          and due_at + interval '0' <= now() and (leased_until is null or leased_until <= now())
        for update skip locked
      ) d
      where c.on_host <= ${query.per_host_max}::integer and c.of_org <= ${query.per_org_max}::integer
        and (not c.is_failing or c.among_failing <= ${query.failing_max}::integer)
    ), claimed as (
      update webhook_deliveries d set attempts = d.attempts + 1, lease_id = ${query.lease_id}::uuid,
        leased_until = now() + ${query.lease_ms}::float8 * interval '1 millisecond'
      from locked l
      where d.org_id = l.org_id and d.endpoint_id = l.endpoint_id and d.id = l.id
      returning d.org_id, d.endpoint_id, d.id, d.lease_id, d.event_id, d.event_type, d.attempts, d.body
    ), paced as (
      update webhook_endpoints w set paced_until = l.until
      from (
        select w.org_id, w.id, greatest(w.paced_until, now() - interval '1 second')
          + c.jobs * interval '1 second' / w.rate_per_second as until
        from (select org_id, endpoint_id, count(*) as jobs from claimed group by 1, 2) c
        join webhook_endpoints w on w.org_id = c.org_id and w.id = c.endpoint_id
        where w.rate_per_second is not null
        order by w.id for no key update of w
      ) l
      where w.org_id = l.org_id and w.id = l.id
    )
    select w.org_id, c.endpoint_id, c.id, c.lease_id, c.event_id, c.event_type, c.attempts,
      w.url, w.host, w.secret, w.sealed_headers,
      case when w.previous_secret_until > now() then w.previous_secret end as previous_secret,
      w.failing_since is not null as was_failing,
      coalesce(c.body, e.body) as body, c.body is not null as is_test,
      (select count(*) from picked) as picked,
      (select endpoint_id from picked order by endpoint_id desc limit 1) as stopped_at
    from claimed c join webhook_endpoints w on w.org_id = c.org_id and w.id = c.endpoint_id
    left join events e on e.org_id = c.org_id and e.id = c.event_id`,
    INDEXED_CLAIM,
  )
  const first = rows[0]
  const isFull = first !== undefined && first.picked >= query.deliveries_max
  return { deliveries: rows, stopped_at: isFull ? first.stopped_at : undefined }
}

function fullOf(inFlight: ReadonlyMap<string, number>, most: number): string[] {
  return [...inFlight].filter(([, count]) => count >= most).map(([name]) => name)
}

export type DeliveryRef = Pick<ClaimedDelivery, 'org_id' | 'endpoint_id' | 'id' | 'lease_id'>

export type SettledRow = DeliveryRef & {
  status: Exclude<DeliveryStatus, 'pending'>
  /** Delay before the next attempt; null when there is none. */
  delay_ms: number | null
  response_status: number | null
  response_body: string | null
  error: string | null
  latency_ms: number | null
}

/** Failed attempts stored per delivery. Replays can add any number; the oldest are dropped. */
const FAILED_ATTEMPTS_MAX = 50

/** Skips rows whose lease has passed to another claim. @returns number of rows settled */
export async function settleDeliveries(db: Database, rows: readonly SettledRow[]): Promise<number> {
  if (rows.length === 0) return 0
  const result = await byIndex(
    db,
    sql`
    update webhook_deliveries d set
      status = r.status, due_at = r.due_at,
      lease_id = null, leased_until = null, attempted_at = now(),
      response_status = r.response_status, response_body = r.response_body, error = r.error,
      latency_ms = r.latency_ms,
      failed_attempts = case when r.error is null then d.failed_attempts else case
          when jsonb_array_length(d.failed_attempts) >= ${sql.lit(FAILED_ATTEMPTS_MAX)}
          then d.failed_attempts - 0 else coalesce(d.failed_attempts, '[]'::jsonb) end
        || r.attempt end
    from (
      select s.*, now() + s.delay_ms * interval '1 millisecond' as due_at,
        jsonb_build_array(jsonb_build_object('at', now(), 'error', s.error,
          'response_status', s.response_status, 'latency_ms', s.latency_ms)) as attempt
      from json_to_recordset(${JSON.stringify(rows)}::json) as s (
        org_id uuid, endpoint_id uuid, id uuid, lease_id uuid, status text, delay_ms float8,
        response_status smallint, response_body text, error text, latency_ms integer)
    ) r
    where d.org_id = r.org_id and d.endpoint_id = r.endpoint_id and d.id = r.id
      and d.lease_id = r.lease_id`,
  )
  return Number(result.numAffectedRows ?? 0n)
}

/** Undoes the claim, including the attempt that it counted. */
export async function releaseDeliveries(db: Database, refs: readonly DeliveryRef[]): Promise<void> {
  if (refs.length === 0) return
  await byIndex(
    db,
    sql`
    update webhook_deliveries d set attempts = d.attempts - 1, lease_id = null, leased_until = null
    from json_to_recordset(${JSON.stringify(refs)}::json) as r (
      org_id uuid, endpoint_id uuid, id uuid, lease_id uuid)
    where d.org_id = r.org_id and d.endpoint_id = r.endpoint_id and d.id = r.id
      and d.lease_id = r.lease_id`,
  )
}

/** Clears the failures of endpoints that accepted a delivery. */
export async function recordRecoveries(db: Db, endpointIds: readonly string[]): Promise<void> {
  if (endpointIds.length === 0) return
  await sql`
    update webhook_endpoints w set failing_since = null
    from (
      select id from webhook_endpoints
      where id = any (${[...endpointIds]}::uuid[]) and failing_since is not null
      order by id for no key update
    ) locked
    where w.id = locked.id`.execute(db)
}

export type EndpointFailure = {
  endpoint_id: string
  /** URL that failed. If the endpoint has a new URL since, the failure is ignored. */
  url: string
  /** The receiver answered 410. */
  is_gone: boolean
}

export type PausedEndpoint = { org_id: string; id: string; pause_reason: PauseReason }

/**
 * Records the start of failures, and pauses endpoints that are gone or have failed for too long (OP-57).
 * @param pauseAfterMs null never pauses an endpoint because it fails
 * @returns endpoints paused by this call
 */
export async function recordFailures(
  db: Db,
  failures: readonly EndpointFailure[],
  pauseAfterMs: number | null,
): Promise<PausedEndpoint[]> {
  if (failures.length === 0) return []
  const isHopeless = sql`w.failing_since <= now() - ${pauseAfterMs}::float8 * interval '1 millisecond'`
  const { rows } = await sql<PausedEndpoint & { status: string }>`
    with failed as (
      select id, at, case when is_gone then 'gone' when is_hopeless then 'failing' end as reason
      from (
        select w.id, r.is_gone, ${isHopeless} as is_hopeless, now() as at
        from json_to_recordset(${JSON.stringify(failures)}::json) as r (
          endpoint_id uuid, url text, is_gone boolean)
        join webhook_endpoints w on w.id = r.endpoint_id and w.url = r.url
        where w.status = 'active' and (w.failing_since is null or r.is_gone or ${isHopeless})
        order by w.id for no key update of w
      ) f
    )
    update webhook_endpoints w set
      failing_since = coalesce(w.failing_since, f.at),
      status = case when f.reason is null then w.status else 'paused' end,
      pause_reason = f.reason,
      paused_at = case when f.reason is not null then f.at end,
      updated_at = case when f.reason is null then w.updated_at else f.at end
    from failed f where w.id = f.id
    returning w.org_id, w.id, w.status, w.pause_reason`.execute(db)
  return rows
    .filter(({ status }) => status === 'paused')
    .map(({ org_id, id, pause_reason }) => ({ org_id, id, pause_reason }))
}

const INDEXED = sql`set local enable_seqscan = off`
/**
 * A claim does not wait for the disk. If PostgreSQL crashes and loses it, the delivery is claimed and sent
 * again, as it is when a claim outlives its process. The outcome, which is written later, does wait.
 */
const INDEXED_CLAIM = sql`select set_config('enable_seqscan', 'off', true),
  set_config('synchronous_commit', 'off', true)`

/**
 * Runs a statement without sequential scans. The tables grow faster than their statistics are updated, so
 * a plan cached while they were small would keep reading them whole. The setting travels in the same
 * round trip as the statement.
 */
async function byIndex<Row>(db: Database, statement: RawBuilder<Row>, settings = INDEXED) {
  return await db.transaction().execute(async (tx) => {
    const [, result] = await Promise.all([
      settings.execute(tx),
      lastStatement(statement).execute(tx),
    ])
    return result
  })
}
