/** Reads the decisions of some weeks with what they were about. */
import { sql } from 'kysely'
import type { Owner } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { factsOfDecision } from '../order-facts.store.ts'
import type { DecidedGroup } from './statistics.ts'

/** Newer ones are read first. */
export const DECISIONS_MAX = 20_000

/**
 * Groups what is equal, because transferring and counting each decision takes longer than finding it. Decisions before
 * and after each one are searched one by one: a join would read those of all organizations.
 */
export async function readDecided(
  db: Db,
  { org_id, mode }: Owner,
  from: Date,
  to: Date,
): Promise<DecidedGroup[]> {
  const { rows } = await sql<DecidedGroup>`
    with decided as materialized (
      select * from review_decisions
      where org_id = ${org_id} and mode = ${mode} and decided_at >= ${from} and decided_at < ${to}
      order by decided_at desc limit ${DECISIONS_MAX})
    select to_char(date_trunc('week', d.decided_at at time zone 'UTC'), 'YYYY-MM-DD') as week,
      d.subject, d.number > 1 as is_change, d.decision, d.decided_by,
      d.source is not null as is_outcome, p.decision as previous, p.decided_by as previous_by,
      n.number is null as is_current, r.case_id is not null as is_flagged,
      coalesce(r.flags, '{}') as flags, o.currency, o.rules, o.shadow_rules,
      count(*)::integer as count, sum(o.amount_cents) as amount_cents,
      coalesce(array_agg(round(1000 * extract(epoch from d.decided_at - r.created_at))::float8)
        filter (where d.number = 1 and r.case_id is not null), '{}') as waited_ms
    from decided d
    left join lateral (
      select decision, decided_by from review_decisions p
      where d.number > 1 and p.org_id = d.org_id and p.subject_id = d.subject_id
        and p.number = d.number - 1 limit 1) p on true
    left join lateral (
      select number from review_decisions n
      where n.org_id = d.org_id and n.subject_id = d.subject_id and n.number = d.number + 1
      limit 1) n on true
    left join lateral (
      select created_at, case_id, flags from reviews r
      where r.org_id = d.org_id and r.subject_id = d.subject_id and r.subject = d.subject limit 1) r on true
    cross join lateral (${factsOfDecision('d')}) o
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14`.execute(db)
  return rows
}
