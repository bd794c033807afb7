/** Counts what custom rules did to the newest orders. */
import { sql } from 'kysely'
import type { Owner } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { REVIEW_SCORE } from '../scoring/scoring.ts'
import type { RuleMatch, RuleMatches } from './schema.ts'

/** Number of orders that are read; more would take long for a number that is shown next to a rule. */
const ORDERS_MAX = 5000

export async function countMatches(db: Db, { org_id, mode }: Owner): Promise<RuleMatches> {
  const newest = sql`
    select o.id, o.created_at, o.assessment from orders o
    where o.org_id = ${org_id} and o.mode = ${mode}
    order by o.id desc limit ${sql.lit(ORDERS_MAX)}`
  const [counted, rules] = await Promise.all([
    sql<{ orders: number; since: Date | null }>`
      select count(*)::integer as orders, min(created_at) as since
      from (${newest}) n`.execute(db),
    sql<RuleMatch>`
      select e.record->>'rule' as rule,
        (count(*) filter (where e.kind = 'on'))::integer as matched,
        (count(*) filter (where e.kind = 'shadow'))::integer as in_shadow,
        (count(*) filter (where (e.record->>'score_before')::integer < ${sql.lit(REVIEW_SCORE)}
          and (e.record->>'score_after')::integer >= ${sql.lit(REVIEW_SCORE)}))::integer as flagged,
        (count(*) filter (where r.decision = 'confirmed_fraud'))::integer as confirmed_fraud,
        (count(*) filter (where r.decision = 'legitimate'))::integer as legitimate
      from (${newest}) n
      cross join lateral (
        select 'on' as kind, a as record
        from json_array_elements(coalesce(n.assessment->'adjustments', '[]')) a
        union all
        select 'shadow', s from json_array_elements(coalesce(n.assessment->'shadows', '[]')) s) e
      left join reviews r
        on r.org_id = ${org_id} and r.subject_id = n.id and r.subject = 'order'
      where e.record->>'by' = 'rule'
      group by 1 order by 1`.execute(db),
  ])
  const { orders = 0, since = null } = counted.rows[0] ?? {}
  return { orders, since: since?.toISOString() ?? null, rules: rules.rows }
}
