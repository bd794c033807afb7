/** Adds a channel, routes, a notification and a message that failed. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { notify } from '../../src/modules/notifications/index.ts'
import type { Db } from '../../src/platform/postgres/db.ts'

export async function addNotifications(db: Db, org_id: string, user_id: string) {
  const ids = {
    channel_id: randomUUID(),
    route_id: randomUUID(),
    own_route_id: randomUUID(),
    message_id: randomUUID(),
  }
  await sql`
    insert into notification_channels (org_id, id, kind, name, config, sealed, per_hour_max, created_at,
      updated_at)
    values (${org_id}, ${ids.channel_id}, 'slack', 'Operations', '{"host": "hooks.example"}', 'sealed',
      60, now(), now())`.execute(db)
  await sql`
    insert into notification_routes (org_id, id, user_id, subject, channel_ids, min_severity,
      repeat_minutes, updated_at)
    values (${org_id}, ${ids.route_id}, null, 'credits_low', array[${ids.channel_id}]::uuid[],
        'warning', 0, now()),
      (${org_id}, ${ids.own_route_id}, ${user_id}, 'credits_low', '{}', 'warning', 0, now())`.execute(
    db,
  )
  await sql`
    insert into notification_messages (org_id, channel_id, id, subject, step, items, status, attempts,
      error, created_at)
    values (${org_id}, ${ids.channel_id}, ${ids.message_id}, 'credits_low', 'started', '[]', 'failed', 7,
      'Answered 500', now())`.execute(db)
  await notify(db, [
    {
      org_id,
      subject: 'webhook_failing',
      key: randomUUID(),
      severity: 'warning',
      is_lasting: true,
      title: 'A webhook endpoint fails',
      link: '/webhooks',
      started_at: new Date(),
    },
  ])
  const { rows } = await sql<{ id: string }>`
    select id from notifications where org_id = ${org_id} and subject = 'webhook_failing'`.execute(
    db,
  )
  return {
    notification_channel_id: ids.channel_id,
    notification_route_id: ids.route_id,
    notification_message_id: ids.message_id,
    notification_id: rows[0]?.id ?? '',
  }
}
