/** SQL that reads actions for replays and for the matches of rules. */
import { type RawBuilder, sql } from 'kysely'
import type { Owner } from '../../platform/owner.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { type Rescored, type RescoreQuery, rowsOfArrivals } from '../custom-rules/index.ts'
import type { WholeAction } from './store.ts'

export type StoredAction = Pick<
  WholeAction,
  'id' | 'request' | 'fraud' | 'measurements' | 'performed_at' | 'created_at'
> &
  Pick<Rescored, 'decision'>

export const readActions = (
  db: Db,
  { org_id, mode, from, to }: RescoreQuery,
): AsyncGenerator<StoredAction> =>
  rowsOfArrivals({ from, to }, async ({ after, before, limit }) => {
    const { rows } = await sql<StoredAction>`
      select a.id, a.request, a.fraud, a.measurements, a.performed_at, a.created_at, r.decision
      from cashier_actions a
      left join reviews r
        on r.org_id = a.org_id and r.subject_id = a.id and r.subject = 'cashier_action'
      where a.org_id = ${org_id} and a.mode = ${mode} and a.id > ${after}
        and a.id < ${before}
        and a.created_at >= ${from} and a.created_at < ${to}
      order by a.id limit ${limit}`.execute(db)
    return rows
  })

export const newestActions = ({ org_id, mode }: Owner, limit: number): RawBuilder<unknown> => sql`
  select a.id, a.created_at, a.measurements->'adjustments' as adjustments,
    a.measurements->'shadows' as shadows
  from cashier_actions a where a.org_id = ${org_id} and a.mode = ${mode}
  order by a.id desc limit ${sql.lit(limit)}`
