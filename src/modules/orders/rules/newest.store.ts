/** SQL that reads what rules did to the newest orders. */
import { type RawBuilder, sql } from 'kysely'
import type { Owner } from '../../../platform/owner.ts'

export const newestOrders = ({ org_id, mode }: Owner, limit: number): RawBuilder<unknown> => sql`
  select o.id, o.created_at, o.assessment->'adjustments' as adjustments,
    o.assessment->'shadows' as shadows
  from orders o where o.org_id = ${org_id} and o.mode = ${mode}
  order by o.id desc limit ${sql.lit(limit)}`
