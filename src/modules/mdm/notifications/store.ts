/** SQL of the applied notifications, and of the devices that they are about. */
import { sql } from 'kysely'
import { textArray, uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { storable } from '../../../platform/postgres/storable.ts'

/**
 * Runs first in the transaction that applies the messages. The order of the ids prevents deadlocks
 * with another process that applies the same messages.
 *
 * @param messages with the name of their enterprise, `enterprises/…`. One of an enterprise that no
 * organization has is stored without an organization, as those of the previous version are.
 * @returns the messages that were not applied before
 */
export async function insertNotifications(
  tx: Db,
  messages: readonly { id: string; enterprise: string }[],
  now: Date,
): Promise<AppliedNotification[]> {
  const { rows } = await sql<AppliedNotification>`
    insert into mdm_notifications (org_id, message_id, received_at)
    select coalesce(e.org_id, ${NIL}::uuid), g.message_id, ${now}::timestamptz
    from unnest(${textArray(messages.map(({ id }) => id))}::text[],
      ${textArray(messages.map(({ enterprise }) => storable(enterprise)))}::text[]
    ) as g (message_id, enterprise) left join mdm_enterprises e on e.name = g.enterprise
    where not exists (select from mdm_notifications n
      where n.org_id = ${NIL}::uuid and n.message_id = g.message_id)
    order by g.message_id
    on conflict do nothing returning org_id, message_id`.execute(tx)
  return rows
}

export type AppliedNotification = { org_id: string; message_id: string }

const NIL = '00000000-0000-0000-0000-000000000000'

/** Limits how long the transaction waits for any lock. */
export async function limitLockWaits(tx: Db, ms: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${ms}ms`}, true)`.execute(tx)
}

/** Deletes the ids of messages that have to be sent again. */
export async function deleteNotifications(
  tx: Db,
  applied: readonly AppliedNotification[],
): Promise<void> {
  if (applied.length === 0) return
  await sql`
    delete from mdm_notifications n
    using unnest(${uuidArray(applied.map(({ org_id }) => org_id))}::uuid[],
      ${textArray(applied.map(({ message_id }) => message_id))}::text[]) as g (org_id, message_id)
    where n.org_id = g.org_id and n.message_id = g.message_id`.execute(tx)
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

/** @returns those of the names that are enterprises of an organization */
export async function listKnownEnterprises(db: Db, names: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from mdm_enterprises where name = any(${textArray(names)}::text[])`.execute(db)
  return rows.map(({ name }) => name)
}
