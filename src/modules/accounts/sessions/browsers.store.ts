/** SQL for the browsers in which users have signed in. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'

/** Limit for each user. Browsers that were not used for longest are forgotten first. */
export const KNOWN_BROWSERS_MAX = 50

/**
 * Remembers the browser.
 * @returns `first` for the first sign-in of the user, and `new` for one in a browser that was not known
 */
export async function rememberBrowser(
  tx: Db,
  userId: string,
  browserId: string,
  now: Date,
): Promise<'first' | 'new' | 'known'> {
  // The lock orders the sign-ins of a user, so that one of two in new browsers finds the other.
  await sql`select from users where id = ${userId} for no key update`.execute(tx)
  const { rows } = await sql<{ others: number; is_known: boolean }>`
    select count(*) filter (where browser_id <> ${browserId})::int as others,
      coalesce(bool_or(browser_id = ${browserId}), false) as is_known
    from known_browsers where user_id = ${userId}`.execute(tx)
  await sql`
    insert into known_browsers (user_id, browser_id, last_seen_at)
    values (${userId}, ${browserId}, ${now})
    on conflict (user_id, browser_id) do update set last_seen_at = excluded.last_seen_at`.execute(
    tx,
  )
  const { others = 0, is_known = false } = rows[0] ?? {}
  if (others >= KNOWN_BROWSERS_MAX) {
    await sql`
      delete from known_browsers where user_id = ${userId} and browser_id in (
        select browser_id from known_browsers where user_id = ${userId}
        order by last_seen_at desc, browser_id offset ${KNOWN_BROWSERS_MAX})`.execute(tx)
  }
  if (is_known) return 'known'
  return others === 0 ? 'first' : 'new'
}
