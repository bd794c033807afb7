/** E-mail addresses for records that name users by their ids, which live apart from the directory. */
import { sql } from 'kysely'
import { isUuid } from '../../platform/ids.ts'
import { uuidArray } from '../../platform/postgres/arrays.ts'
import type { Db } from '../../platform/postgres/db.ts'

/**
 * @param ids user ids, and other texts such as `cli`, which have no address
 * @returns addresses by user id, without those of deleted users
 */
export async function emailsOf(
  directory: Db,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids)].flatMap((id) => (id !== null && isUuid(id) ? [id] : []))
  if (wanted.length === 0) return new Map()
  const { rows } = await sql<{ id: string; email: string }>`
    select id, email from users where id = any(${uuidArray(wanted)}::uuid[])`.execute(directory)
  return new Map(rows.map(({ id, email }) => [id, email]))
}
