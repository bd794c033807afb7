/** SQL of the browsers in which members want to be notified. Each is a separate channel. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import { type ChannelRow, endChannel } from '../channels.store.ts'
import { lockName } from '../lock.store.ts'

export type Owner = { org_id: string; user_id: string }

export const listBrowsers = async (db: Db, { org_id, user_id }: Owner): Promise<ChannelRow[]> =>
  await db
    .selectFrom('notification_channels')
    .selectAll()
    .where('org_id', '=', org_id)
    .where('browser_of', '=', user_id)
    .orderBy('id')
    .execute()

/**
 * A browser has one owner in an organization: the person who signed in last.
 * @returns undefined when the person has the maximum number of browsers
 */
export async function insertBrowser(
  tx: Db,
  row: ChannelRow,
  browsersMax: number,
): Promise<ChannelRow | undefined> {
  const { org_id, browser_of, config } = row
  await lockName(tx, `notification_browsers:${org_id}`)
  const { rows } = await sql<{ id: string; browser_of: string; is_same: boolean }>`
    select id, browser_of, config ->> 'endpoint_hash' = ${config.endpoint_hash ?? ''} as is_same
    from notification_channels where org_id = ${org_id} and browser_of is not null
      and (browser_of = ${browser_of} or config ->> 'endpoint_hash' = ${config.endpoint_hash ?? ''})`.execute(
    tx,
  )
  for (const same of rows.filter(({ is_same }) => is_same)) {
    await deleteBrowser(tx, { org_id, user_id: same.browser_of }, same.id)
  }
  if (rows.filter(({ is_same }) => !is_same).length >= browsersMax) return undefined
  return await tx
    .insertInto('notification_channels')
    .values({ ...row, config: sql`${JSON.stringify(config)}::jsonb` })
    .returningAll()
    .executeTakeFirst()
}

/** @returns whether it existed */
export async function deleteBrowser(
  tx: Db,
  { org_id, user_id }: Owner,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('notification_channels')
    .where('org_id', '=', org_id)
    .where('browser_of', '=', user_id)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) return false
  await endChannel(tx, org_id, id)
  return true
}

/** Whether the session lasts, and its person is a member. */
export async function isSignedIn(
  directory: Db,
  { org_id, user_id, session_id }: { org_id: string; user_id: string | null; session_id: string },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from sessions s join memberships m on m.user_id = s.user_id
    where s.id = ${session_id} and s.user_id = ${user_id} and s.expires_at > now()
      and m.org_id = ${org_id}`.execute(directory)
  return rows.length > 0
}
