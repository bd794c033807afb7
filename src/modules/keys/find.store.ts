/** Finds API keys by their names, or by a part of what is known of their texts. */
import { sql } from 'kysely'
import { contains, type Finder } from '../../platform/postgres/name-search.ts'

export const findKeysByPart: Finder = async (db, { org_id, mode, text, limit }) => {
  const { rows } = await sql<{ key_hint: string; name: string }>`
    select key_hint, name from api_keys
    where org_id = ${org_id} and type like ${`${mode}\\_%`} and revoked_at is null
      and ${contains(sql`concat_ws(chr(10), key_hint, name, id::text)`, text)}
    order by created_at desc limit ${limit}`.execute(db)
  return rows.map(({ key_hint, name }) => ({
    name: key_hint,
    remark: name === '' ? null : name,
    link: '/developers/keys',
  }))
}
