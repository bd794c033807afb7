/** Finds applications by a part of their names or ids. */
import { sql } from 'kysely'
import { contains, type Finder } from '../../platform/postgres/name-search.ts'

export const findApplicationsByPart: Finder = async (db, { org_id, mode, text, limit }) => {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from applications
    where org_id = ${org_id} and environment = ${mode} and deleted_at is null
      and ${contains(sql`concat_ws(chr(10), name, id::text)`, text)}
    order by name limit ${limit}`.execute(db)
  return rows.map(({ id, name }) => ({ name, remark: null, link: `/push/${id}` }))
}
