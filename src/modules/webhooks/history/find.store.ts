/** Finds endpoints by a part of their addresses, and deliveries by their ids or those of their events. */
import { sql } from 'kysely'
import { isUuid, lowestIdAt, timeOfId } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import {
  COMPARED_MAX,
  contains,
  type Finder,
  idsStartingWith,
  type Search,
} from '../../../platform/postgres/name-search.ts'

type Endpoint = { id: string; url: string; description: string }

export const findEndpointsByPart: Finder = async (db, { org_id, mode, text, limit }) => {
  const { rows } = await sql<Endpoint>`
    select id, url, description from webhook_endpoints
    where org_id = ${org_id} and mode = ${mode} and status <> 'deleted'
      and ${contains(sql`concat_ws(chr(10), url, description, id::text)`, text)}
    order by id desc limit ${limit}`.execute(db)
  return rows.map(({ id, url, description }) => ({
    name: url,
    remark: description === '' ? null : description,
    link: `/webhooks/${id}`,
  }))
}

type Delivery = { endpoint_id: string; id: string; event_type: string; url: string }

/** Ids of deliveries have the time of the database, which differs from that of the ids of events. */
const CLOCKS_DIFFER_MS = 5000
/** Longer than a transaction takes. */
const CREATED_WITHIN_MS = 60_000

export const findDeliveriesByPart: Finder = async (db, search) => {
  const ids = idsStartingWith(search.text)
  if (ids === undefined) return []
  const byId = await deliveriesWhere(
    db,
    search,
    sql`select * from webhook_deliveries d where d.org_id = w.org_id and d.endpoint_id = w.id
      and d.id between ${ids.from}::uuid and ${ids.to}::uuid`,
  )
  if (byId.length > 0 || !isUuid(search.text)) return byId
  const time = timeOfId(search.text).getTime()
  return await deliveriesWhere(
    db,
    search,
    // Deliveries are created in the transaction of their event.
    sql`select * from (
        select * from webhook_deliveries d where d.org_id = w.org_id and d.endpoint_id = w.id
          and d.id >= ${lowestIdAt(time - CLOCKS_DIFFER_MS)}::uuid
          and d.id < ${lowestIdAt(time + CREATED_WITHIN_MS)}::uuid
        order by d.id limit ${sql.lit(COMPARED_MAX)}) e
      where e.event_id = ${search.text}::uuid`,
  )
}

async function deliveriesWhere(
  db: Db,
  { org_id, mode, limit }: Search,
  deliveries: ReturnType<typeof sql>,
) {
  const { rows } = await sql<Delivery>`
    select f.endpoint_id, f.id, f.event_type, w.url from webhook_endpoints w
    cross join lateral (${deliveries} limit ${limit}) f
    where w.org_id = ${org_id} and w.mode = ${mode} and w.status <> 'deleted'
    order by f.id desc limit ${limit}`.execute(db)
  return rows.map(({ endpoint_id, id, event_type, url }) => ({
    name: `${event_type} to ${url}`,
    remark: id,
    link: `/webhooks/${endpoint_id}/deliveries/${id}`,
  }))
}
