/** SQL of channels. */
import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import { lockName } from './lock.store.ts'
import type { ChannelConfig, NotificationTables } from './tables.ts'

export type ChannelRow = NotificationTables['notification_channels']

/** @returns undefined when the organization has the maximum number of channels */
export async function insertChannel(
  tx: Db,
  row: ChannelRow,
  channelsMax: number,
): Promise<ChannelRow | undefined> {
  await lockName(tx, `notification_channels:${row.org_id}`)
  const { count } = await tx
    .selectFrom('notification_channels')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('org_id', '=', row.org_id)
    .where('user_id', 'is', null)
    .where('browser_of', 'is', null)
    .executeTakeFirstOrThrow()
  if (count >= channelsMax) return undefined
  return await tx
    .insertInto('notification_channels')
    .values({ ...row, config: asJson(row.config) })
    .returningAll()
    .executeTakeFirst()
}

const asJson = (config: ChannelConfig) => sql<ChannelConfig>`${JSON.stringify(config)}::jsonb`

/** Those of the organization, without those of members. */
export const listChannels = async (db: Db, orgId: string): Promise<ChannelRow[]> =>
  await db
    .selectFrom('notification_channels')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('user_id', 'is', null)
    .where('browser_of', 'is', null)
    .orderBy(sql`lower(name)`)
    .orderBy('id')
    .execute()

/** Finds a channel of the organization, or of the member with `userId`. */
export const findChannel = async (
  db: Db,
  orgId: string,
  id: string,
  userId: string | null = null,
): Promise<ChannelRow | undefined> =>
  await db
    .selectFrom('notification_channels')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where((where) =>
      userId === null ? where('user_id', 'is', null) : where('user_id', '=', userId),
    )
    .where('browser_of', 'is', null)
    .executeTakeFirst()

export type ChannelUpdate = {
  name: string
  config: ChannelConfig
  sealed: string | null
  per_hour_max: number
  /** The target changed, so nothing is known about the channel any more. */
  is_new_target: boolean
}

export async function updateChannel(
  tx: Db,
  { org_id, id }: { org_id: string; id: string },
  change: ChannelUpdate,
  now: Date,
): Promise<ChannelRow | undefined> {
  const { is_new_target, config, ...fields } = change
  const unknown = { verified_at: null, failing_since: null, last_error: null }
  return await tx
    .updateTable('notification_channels')
    .set({
      ...fields,
      config: asJson(config),
      updated_at: now,
      ...(is_new_target && unknown),
    })
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .where('user_id', 'is', null)
    .where('browser_of', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/** Messages that wait for it end, and its routes no longer name it. @returns its name if it existed */
export async function deleteChannel(
  tx: Db,
  orgId: string,
  id: string,
): Promise<string | undefined> {
  const deleted = await tx
    .deleteFrom('notification_channels')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('user_id', 'is', null)
    .where('browser_of', 'is', null)
    .returning('name')
    .executeTakeFirst()
  if (deleted === undefined) return undefined
  await endChannel(tx, orgId, id)
  return deleted.name
}

/** Messages that wait for a channel that was deleted end, and no route names it any more. */
export async function endChannel(tx: Db, orgId: string, id: string): Promise<void> {
  await sql`
    update notification_routes set channel_ids = array_remove(channel_ids, ${id}::uuid)
    where org_id = ${orgId} and ${id}::uuid = any (channel_ids)`.execute(tx)
  await sql`
    update notification_messages set status = 'failed', due_at = null, lease_id = null,
      leased_until = null, error = 'The channel was deleted'
    where org_id = ${orgId} and channel_id = ${id} and due_at is not null`.execute(tx)
}
