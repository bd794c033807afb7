/** The address of a member at the time of sending, which follows changes of it. */
import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'

/** @returns undefined when the person is not a member, or not any more */
export async function findMemberEmail(
  directory: Db,
  orgId: string,
  userId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ email: string }>`
    select u.email from memberships m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.user_id = ${userId}`.execute(directory)
  return rows[0]?.email
}
