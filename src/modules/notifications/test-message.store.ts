/** A test message, which is leased when it is written, because it is sent immediately. */
import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import type { ChannelRow } from './channels.store.ts'
import { LEASE_MS } from './dispatch.ts'
import type { ClaimedMessage } from './queue.store.ts'
import type { Item } from './tables.ts'

export async function insertTestMessage(
  db: Db,
  channel: ChannelRow,
  { id, lease_id, item }: { id: string; lease_id: string; item: Item },
): Promise<ClaimedMessage> {
  const { org_id, id: channel_id, kind, config, sealed, user_id, browser_of } = channel
  const { rows } = await sql<{ created_at: Date }>`
    insert into notification_messages (org_id, channel_id, id, subject, step, items, attempts, due_at,
      lease_id, leased_until, created_at)
    values (${org_id}, ${channel_id}, ${id}, ${item.subject}, 'test', ${JSON.stringify([item])}::jsonb,
      1, now(), ${lease_id}, now() + ${LEASE_MS}::float8 * interval '1 millisecond', now())
    returning created_at`.execute(db)
  return {
    org_id,
    channel_id,
    id,
    items: [item],
    attempts: 1,
    created_at: rows[0]?.created_at ?? new Date(item.at),
    kind,
    config,
    sealed,
    user_id,
    browser_of,
    lease_id,
    was_failing: false,
  }
}
