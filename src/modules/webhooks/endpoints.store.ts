/** SQL of webhook endpoints. Deleted endpoints are never returned. */
import { type Selectable, sql } from 'kysely'
import { isUuid } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { EndpointHealth } from './history/schema.ts'
import type { WebhookTables } from './tables.ts'

type Row = Selectable<WebhookTables['webhook_endpoints']>
export type EndpointRow = EndpointHealth & { org_id: string }
export type NewEndpoint = Pick<
  Row,
  | 'org_id'
  | 'id'
  | 'mode'
  | 'url'
  | 'host'
  | 'events'
  | 'description'
  | 'secret'
  | 'secret_prefix'
  | 'created_at'
  | 'portal_id'
>
export type EndpointChanges = Partial<Pick<Row, 'url' | 'host' | 'events' | 'description' | 'mode'>>

/** @param portalId undefined for every endpoint */
export const isOfPortal = (portalId: string | undefined) =>
  portalId === undefined ? sql`true` : sql`portal_id = ${portalId}`

export const COLUMNS = sql`org_id, id, mode, url, events, description, status, secret_prefix, pause_reason,
  paused_at, failing_since, created_at, updated_at, filter, header_names, rate_per_second, portal_id,
  case when previous_secret_until > now() then previous_secret_until end as previous_secret_until`

/** Endpoints of all portals of an organization, which each of its events is compared with. */
const PORTAL_ENDPOINTS_MAX = 500

/** @returns undefined when the organization, or the portal, already has `endpointsMax` endpoints */
export async function insertEndpoint(db: Db, endpoint: NewEndpoint, endpointsMax: number) {
  const { org_id, id, mode, url, host, events, description, secret, secret_prefix } = endpoint
  const { created_at, portal_id } = endpoint
  const { rows } = await sql<EndpointRow>`
    with counted as materialized (
      select count(*) filter (where portal_id is not distinct from ${portal_id}::uuid) as of_portal,
        count(portal_id) as of_portals
      from webhook_endpoints where org_id = ${org_id} and status <> 'deleted'
    )
    insert into webhook_endpoints (org_id, id, mode, url, host, events, description, status, secret,
      secret_prefix, created_at, updated_at, portal_id)
    select ${org_id}::uuid, ${id}::uuid, ${mode}, ${url}, ${host}, ${events}::text[], ${description},
      'active', ${secret}, ${secret_prefix}, ${created_at}::timestamptz, ${created_at}::timestamptz,
      ${portal_id}::uuid
    from counted where of_portal < ${endpointsMax}::integer
      and (${portal_id}::uuid is null or of_portals < ${sql.lit(PORTAL_ENDPOINTS_MAX)})
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

/** Newest first. @param portalId by default, endpoints of the organization and of all portals */
export async function listEndpoints(
  db: Db,
  orgId: string,
  portalId?: string,
): Promise<EndpointRow[]> {
  const { rows } = await sql<EndpointRow>`
    select ${COLUMNS} from webhook_endpoints
    where org_id = ${orgId} and status <> 'deleted' and ${isOfPortal(portalId)}
    order by id desc`.execute(db)
  return rows
}

/** @param id any text; one that is not a UUID matches nothing */
export async function findEndpoint(db: Db, orgId: string, id: string) {
  if (!isUuid(id)) return undefined
  const { rows } = await sql<EndpointRow>`
    select ${COLUMNS} from webhook_endpoints
    where org_id = ${orgId} and id = ${id} and status <> 'deleted'`.execute(db)
  return rows[0]
}

export type EndpointKey = Pick<Row, 'org_id' | 'id'>

/**
 * Omitted fields stay unchanged. Resuming an endpoint clears the reason for its pause and the start of
 * its failures; a new URL clears the latter too. Pausing a paused endpoint keeps the first reason.
 */
export async function updateEndpoint(
  db: Db,
  { org_id, id }: EndpointKey,
  changes: EndpointChanges & { status?: 'active' | 'paused' | undefined },
  now: Date,
): Promise<EndpointRow | undefined> {
  const { url, host, events, description, mode, status } = changes
  const next = sql`coalesce(${status ?? null}::text, status)`
  const { rows } = await sql<EndpointRow>`
    update webhook_endpoints set
      failing_since = case when ${next} = 'active' and status = 'paused'
        or url <> coalesce(${url ?? null}::text, url) then null else failing_since end,
      url = coalesce(${url ?? null}::text, url), host = coalesce(${host ?? null}::text, host),
      events = coalesce(${events ?? null}::text[], events),
      description = coalesce(${description ?? null}::text, description),
      mode = coalesce(${mode ?? null}::text, mode),
      status = ${next},
      pause_reason = case when ${next} = 'paused' then coalesce(pause_reason, 'requested') end,
      paused_at = case when ${next} = 'paused' then coalesce(paused_at, ${now}::timestamptz) end,
      updated_at = ${now}
    where org_id = ${org_id} and id = ${id} and status <> 'deleted'
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

/** @param overlapMs how long the former secret also signs */
export async function updateSecret(
  db: Db,
  { org_id, id }: EndpointKey,
  { secret, secret_prefix }: Pick<Row, 'secret' | 'secret_prefix'>,
  { now, overlapMs }: { now: Date; overlapMs: number },
): Promise<EndpointRow | undefined> {
  const overlaps = overlapMs > 0
  const { rows } = await sql<EndpointRow>`
    update webhook_endpoints set
      previous_secret = ${overlaps ? sql`secret` : sql`null`},
      previous_secret_until = ${overlaps ? sql`now() + ${overlapMs}::float8 * interval '1 millisecond'` : sql`null`},
      secret = ${secret}, secret_prefix = ${secret_prefix}, updated_at = ${now}
    where org_id = ${org_id} and id = ${id} and status <> 'deleted'
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

/** Erases secrets and headers; sweeps delete the deliveries later. @returns whether the endpoint existed */
export async function markDeleted(db: Db, orgId: string, id: string, now: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update webhook_endpoints set status = 'deleted', secret = '', previous_secret = null,
      sealed_headers = null, header_names = '{}', pause_reason = null, paused_at = null, updated_at = ${now}
    where org_id = ${orgId} and id = ${id} and status <> 'deleted'`.execute(db)
  return numAffectedRows === 1n
}
