/** Finds cashiers by a part of their names, and cashier actions by the start of their ids. */
import { sql } from 'kysely'
import {
  COMPARED_MAX,
  contains,
  type Finder,
  idsStartingWith,
  mayContain,
} from '../../../platform/postgres/name-search.ts'
import type { StateId } from '../../../platform/states/index.ts'

type Cashier = { cashier_id: string; name: string; location: string | null }

const SHOWN = sql`cashier_id, request ->> 'cashier_external_id' as name,
  measurements -> 'context' ->> 'location' as location`

/** A whole name is found however long ago the cashier worked; a part, among the newest actions. */
export const cashierFinder =
  (stateId: StateId): Finder =>
  async (db, { org_id, mode, text, limit }) => {
    const cashier_id = stateId({ org_id, mode }, 'cashier', text)
    const { rows } = await sql<Cashier>`
      select distinct on (cashier_id) cashier_id, name, location from (
        (select ${SHOWN} from cashier_actions
          where org_id = ${org_id} and mode = ${mode} and cashier_id = ${cashier_id}
          order by id desc limit 1)
        union all
        select ${SHOWN} from (
          select mode, cashier_id, request, measurements from cashier_actions
          where org_id = ${org_id} order by id desc limit ${sql.lit(COMPARED_MAX)}) newest
        where mode = ${mode} and case when ${mayContain(sql`request`, text)}
          then ${contains(sql`request ->> 'cashier_external_id'`, text)} end
      ) found order by cashier_id limit ${limit}`.execute(db)
    return rows.map(({ cashier_id: id, name, location }) => ({
      name,
      remark: location === '' ? null : location,
      link: `/cashiers/${id}`,
    }))
  }

type Action = { id: string; action_type: string; name: string }

export const findActionsByPart: Finder = async (db, { org_id, mode, text, limit }) => {
  const ids = idsStartingWith(text)
  if (ids === undefined) return []
  const { rows } = await sql<Action>`
    select id, action_type, request ->> 'cashier_external_id' as name from cashier_actions
    where org_id = ${org_id} and mode = ${mode}
      and id between ${ids.from}::uuid and ${ids.to}::uuid
    order by id limit ${limit}`.execute(db)
  return rows.map(({ id, action_type, name }) => ({
    name: `${action_type.replaceAll('_', ' ')} of ${name}`,
    remark: id,
    link: `/cashiers/actions/${id}`,
  }))
}
