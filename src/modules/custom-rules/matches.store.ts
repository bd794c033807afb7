/** Counts what custom rules did to the newest subjects of one kind. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'

type CountedMatches = {
  /** Number of subjects that were looked at, and since when they arrived. */
  examined: number
  since: Date | null
  rules: RuleMatch[]
}

export type RuleMatch = {
  rule: string
  /** Subjects that the rule changed. */
  matched: number
  /** Subjects that it would have changed, while it was in shadow. */
  in_shadow: number
  /** Subjects that it alone sent, or would have sent, from below to above the review score. */
  flagged: number
  confirmed_fraud: number
  legitimate: number
}

type Counting = {
  org_id: string
  /** Selects id, created_at, adjustments and shadows. */
  newest: RawBuilder<unknown>
  /** Kind of review that may have decided about a subject. */
  review: string
  review_score: number
}

export async function countMatches(
  db: Db,
  { org_id, newest, review, review_score }: Counting,
): Promise<CountedMatches> {
  const [counted, rules] = await Promise.all([
    sql<{ examined: number; since: Date | null }>`
      select count(*)::integer as examined, min(created_at) as since
      from (${newest}) n`.execute(db),
    sql<RuleMatch>`
      select e.record->>'rule' as rule,
        (count(*) filter (where e.kind = 'on'))::integer as matched,
        (count(*) filter (where e.kind = 'shadow'))::integer as in_shadow,
        (count(*) filter (where (e.record->>'score_before')::integer < ${sql.lit(review_score)}
          and (e.record->>'score_after')::integer >= ${sql.lit(review_score)}))::integer as flagged,
        (count(*) filter (where r.decision = 'confirmed_fraud'))::integer as confirmed_fraud,
        (count(*) filter (where r.decision = 'legitimate'))::integer as legitimate
      from (${newest}) n
      cross join lateral (
        select 'on' as kind, a as record
        from json_array_elements(coalesce(n.adjustments, '[]')) a
        union all
        select 'shadow', s from json_array_elements(coalesce(n.shadows, '[]')) s) e
      left join reviews r
        on r.org_id = ${org_id} and r.subject_id = n.id and r.subject = ${review}
      where e.record->>'by' = 'rule'
      group by 1 order by 1`.execute(db),
  ])
  const { examined = 0, since = null } = counted.rows[0] ?? {}
  return { examined, since, rules: rules.rows }
}
