/** SQL of the applied notifications, and of the devices that they are about. */
import { sql } from 'kysely'
import { textArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'

/**
 * Runs first in the transaction that applies the messages. The order of the ids prevents deadlocks
 * with another process that applies the same messages.
 *
 * @returns ids of the messages that were not applied before
 */
export async function insertNotifications(
  tx: Db,
  messageIds: readonly string[],
  now: Date,
): Promise<Set<string>> {
  const { rows } = await sql<{ message_id: string }>`
    insert into mdm_notifications (message_id, received_at)
    select message_id, ${now}::timestamptz
    from unnest(${textArray(messageIds)}::text[]) as g (message_id) order by message_id
    on conflict do nothing returning message_id`.execute(tx)
  return new Set(rows.map(({ message_id }) => message_id))
}

/** Limits how long the transaction waits for any lock. */
export async function limitLockWaits(tx: Db, ms: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${ms}ms`}, true)`.execute(tx)
}

/** Deletes the ids of messages that have to be sent again. */
export async function deleteNotifications(tx: Db, messageIds: readonly string[]): Promise<void> {
  if (messageIds.length === 0) return
  await sql`
    delete from mdm_notifications
    where message_id = any(${textArray(messageIds)}::text[])`.execute(tx)
}

/** Returns the devices that have these names at the provider. */
export async function listNamedDevices(
  tx: Db,
  names: readonly string[],
): Promise<{ org_id: string; provider_name: string }[]> {
  if (names.length === 0) return []
  const enterprises = names.map((name) => name.split('/').slice(0, 2).join('/'))
  const { rows } = await sql<{ org_id: string; provider_name: string }>`
    select distinct d.org_id, d.provider_name
    from unnest(${textArray(enterprises)}::text[], ${textArray(names)}::text[])
      as g (enterprise, name)
    join mdm_enterprises e on e.name = g.enterprise
    join mdm_devices d on d.org_id = e.org_id and d.provider_name = g.name`.execute(tx)
  return rows
}

/** Whether any organization has an enterprise. */
export async function hasEnterprise(db: Db): Promise<boolean> {
  const { rows } = await sql`select 1 from mdm_enterprises limit 1`.execute(db)
  return rows.length > 0
}
