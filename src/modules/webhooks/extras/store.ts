/** SQL of what endpoints have beyond the documented fields. */
import { type Selectable, sql } from 'kysely'
import type { Mode } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { COLUMNS, type EndpointKey, type EndpointRow } from '../endpoints.store.ts'
import type { PreviewedEvent } from '../history/schema.ts'
import type { WebhookTables } from '../tables.ts'

type Row = Selectable<WebhookTables['webhook_endpoints']>
export type ExtrasChanges = Partial<
  Pick<
    Row,
    'filter' | 'filter_path' | 'sealed_headers' | 'header_names' | 'rate_per_second' | 'paced_until'
  >
>

export async function findExtras(db: Db, orgId: string, id: string) {
  return await db
    .selectFrom('webhook_endpoints')
    .select(['sealed_headers'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('status', '<>', 'deleted')
    .executeTakeFirst()
}

/** Omitted fields stay unchanged. */
export async function updateExtras(
  db: Db,
  { org_id, id }: EndpointKey,
  { filter, ...changes }: ExtrasChanges,
  now: Date,
): Promise<EndpointRow | undefined> {
  const set = {
    ...changes,
    ...(filter !== undefined && { filter: filter && JSON.stringify(filter) }),
    updated_at: now,
  }
  const { rows } = await sql<EndpointRow>`
    update webhook_endpoints set ${sql.join(
      Object.entries(set).map(([name, value]) => sql`${sql.ref(name)} = ${value}`),
    )}
    where org_id = ${org_id} and id = ${id} and status <> 'deleted'
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

/** Newest first. @param query.examined the number of newest events of the organization that are searched */
export async function previewFilter(
  db: Db,
  orgId: string,
  query: {
    mode: Mode
    events: readonly string[]
    filter_path: string | null
    limit: number
    examined: number
  },
): Promise<PreviewedEvent[]> {
  const { mode, events, filter_path, limit, examined } = query
  const { rows } = await sql<PreviewedEvent>`
    select id, type, occurred_at, body,
      ${filter_path}::jsonpath is null or event_passes(body, ${filter_path}::jsonpath) as passes
    from (
      select * from (
        select id, mode, type, occurred_at, body from events
        where org_id = ${orgId} order by id desc limit ${examined}
      ) newest
      where mode = ${mode} and type = any (${[...events]}::text[])
      order by id desc limit ${limit}
    ) e order by id desc`.execute(db)
  return rows
}
