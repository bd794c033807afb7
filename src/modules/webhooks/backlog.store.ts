/** Reads how many deliveries are due and since when, across organizations. */
import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'

export type WebhookBacklog = {
  /** Due deliveries, including those of paused endpoints; counting stops at {@link COUNTED_MAX}. */
  waiting: number
  /** When the oldest delivery of an active endpoint became due; null if none is due. */
  oldest_due_at: Date | null
  /** Endpoints that Vigil paused, because they failed for too long or responded that they are gone. */
  paused: number
}

/** A backlog of millions is not counted to its end. */
const COUNTED_MAX = 10_000

/** Makes one index probe per endpoint, independent of its backlog and history. */
export async function readWebhookBacklog(db: Db, now: Date): Promise<WebhookBacklog> {
  const { rows } = await sql<WebhookBacklog>`
    select
      (select count(*) from (select from webhook_deliveries
        where due_at is not null and due_at <= ${now} limit ${COUNTED_MAX}) due) as waiting,
      (select min(first.due_at) from webhook_endpoints endpoint cross join lateral (
        select due_at from webhook_deliveries
        where endpoint_id = endpoint.id and due_at is not null and due_at <= ${now}
        order by due_at limit 1) first
        where endpoint.status = 'active') as oldest_due_at,
      (select count(*) from webhook_endpoints
        where status = 'paused' and pause_reason <> 'requested') as paused`.execute(db)
  return rows[0] ?? { waiting: 0, oldest_due_at: null, paused: 0 }
}
