/** SQL that reads checks for replays and for the matches of rules. */
import { type RawBuilder, sql } from 'kysely'
import type { Owner } from '../../platform/owner.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { type RescoreQuery, rowsOfArrivals } from '../custom-rules/index.ts'
import type { ExplainedCheck } from './store.ts'

export type StoredCheck = Omit<ExplainedCheck, 'org_id'> & { id: string }

export const readChecks = (
  db: Db,
  { org_id, mode, from, to }: RescoreQuery,
): AsyncGenerator<StoredCheck> =>
  rowsOfArrivals({ from, to }, async ({ after, before, limit }) => {
    const { rows } = await sql<StoredCheck>`
      select c.id, c.mode, c.created_at, c.request, c.result, c.evidence as explanation
      from checks c
      where c.org_id = ${org_id} and c.mode = ${mode} and c.id > ${after}
        and c.id < ${before}
        and c.created_at >= ${from} and c.created_at < ${to}
      order by c.id limit ${limit}`.execute(db)
    return rows
  })

export const newestChecks = ({ org_id, mode }: Owner, limit: number): RawBuilder<unknown> => sql`
  select c.id, c.created_at, c.evidence->'adjustments' as adjustments,
    c.evidence->'shadows' as shadows
  from checks c where c.org_id = ${org_id} and c.mode = ${mode}
  order by c.id desc limit ${sql.lit(limit)}`
