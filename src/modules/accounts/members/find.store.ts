/** Finds members by a part of their e-mail addresses. */
import { sql } from 'kysely'
import { contains, type Finder } from '../../../platform/postgres/name-search.ts'

export const findMembersByPart: Finder = async (db, { org_id, text, limit }) => {
  const { rows } = await sql<{ email: string; role: string }>`
    select u.email, m.role from memberships m join users u on u.id = m.user_id
    where m.org_id = ${org_id} and ${contains(sql`u.email`, text)}
    order by u.email limit ${limit}`.execute(db)
  return rows.map(({ email, role }) => ({ name: email, remark: role, link: '/organization' }))
}
