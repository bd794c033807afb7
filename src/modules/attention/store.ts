/** Reads the facts with index probes whose cost does not grow with the history. */
import { sql } from 'kysely'
import type { Owner } from '../../platform/owner.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Overview } from './schema.ts'

export type OpenReviews = { count: number; oldest_at: Date | null }

/** @param countedMax upper limit of the count */
export async function countOpenReviews(
  db: Db,
  { org_id, mode }: Owner,
  countedMax: number,
): Promise<OpenReviews> {
  const { rows } = await sql<OpenReviews>`
    select count(*) as count, min(created_at) as oldest_at from (
      select created_at from reviews
      where org_id = ${org_id} and mode = ${mode} and decision is null
      order by id limit ${sql.lit(countedMax + 1)}) r`.execute(db)
  return rows[0] ?? { count: 0, oldest_at: null }
}

export type FailingEndpoint = {
  id: string
  url: string
  pause_reason: 'gone' | 'failing' | null
  since: Date
}

/** Condition on `webhook_endpoints`: it fails or was paused for it, and not by a member. */
export const IS_FAILING = sql<boolean>`(status = 'paused' and pause_reason <> 'requested'
  or status = 'active' and failing_since is not null)`

/** Lists endpoints that fail or were paused for it, without those that a member paused. */
export async function listFailingEndpoints(
  db: Db,
  { org_id, mode }: Owner,
): Promise<FailingEndpoint[]> {
  const { rows } = await sql<FailingEndpoint>`
    select id, url, pause_reason, coalesce(paused_at, failing_since) as since
    from webhook_endpoints
    where org_id = ${org_id} and mode = ${mode} and ${IS_FAILING}
    order by since, id`.execute(db)
  return rows
}

export type FiringAlert = { id: string; name: string; since: Date }

export async function listFiringAlerts(db: Db, orgId: string): Promise<FiringAlert[]> {
  const { rows } = await sql<FiringAlert>`
    select id, name, coalesce(last_fired_at, created_at) as since from edge_alerts
    where org_id = ${orgId} and status = 'firing' order by since, id`.execute(db)
  return rows
}

export type RefusedCredential = {
  application_id: string
  name: string
  provider: 'fcm' | 'apns'
  error: string
  since: Date | null
}

/** Lists credentials that a provider refused; they are unused until replaced. */
export async function listRefusedCredentials(
  db: Db,
  { org_id, mode }: Owner,
): Promise<RefusedCredential[]> {
  const { rows } = await sql<RefusedCredential>`
    select c.application_id, a.name, c.provider, c.error, c.rejected_at as since
    from push_credentials c join applications a on a.id = c.application_id
    where c.org_id = ${org_id} and c.status = 'needs_attention'
      and a.environment = ${mode} and a.deleted_at is null
    order by since, c.application_id, c.provider`.execute(db)
  return rows
}

export type SpoolStatus = {
  /** Arrival of the oldest waiting row of any organization; all share one analytics engine. */
  waiting_since: Date | null
  /** Number of rows of the organization that the analytics engine rejected for their content. */
  refused: number
  refused_since: Date | null
}

const REFUSED_COUNTED_MAX = 100

export async function readSpool(db: Db, { org_id, mode }: Owner): Promise<SpoolStatus> {
  const { rows } = await sql<SpoolStatus>`
    select least(
        (select created_at from analytics_spool
          where flush_id is null and target = 'edge_logs' order by id limit 1),
        (select created_at from analytics_spool
          where flush_id is null and target = 'rum_events' order by id limit 1)) as waiting_since,
      count(*) as refused, min(r.created_at) as refused_since
    from (select created_at from analytics_spool
      where flush_id is not null and flushed_at is null and org_id = ${org_id}
        and mode = ${mode} and refusal is not null limit ${sql.lit(REFUSED_COUNTED_MAX)}) r`.execute(
    db,
  )
  return rows[0] ?? { waiting_since: null, refused: 0, refused_since: null }
}

export async function hasSecretKey(directory: Db, { org_id, mode }: Owner): Promise<boolean> {
  const { rows } = await sql`
    select from api_keys
    where org_id = ${org_id} and type = ${`${mode}_secret`} and revoked_at is null limit 1`.execute(
    directory,
  )
  return rows.length > 0
}

export async function hasUsage(db: Db, { org_id, mode }: Owner): Promise<boolean> {
  const { rows } = await sql<Pick<Overview, 'has_usage'>>`
    select exists (select from usage_slots where org_id = ${org_id} and mode = ${mode})
        or exists (select from (select mode from usage_events
          where org_id = ${org_id} order by id desc limit ${sql.lit(RECENT_ROWS)}) u
          where u.mode = ${mode}) as has_usage`.execute(db)
  return rows[0]?.has_usage === true
}

/** Older usage has been aggregated into slots. */
const RECENT_ROWS = 1000
