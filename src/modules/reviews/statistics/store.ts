/** Reads the decisions of some weeks with what they were about, newest first. */
import { sql } from 'kysely'
import type { Owner } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { DecidedFact } from './statistics.ts'

/** The orders and reviews of this many decisions are read in about a second. */
export const DECISIONS_MAX = 20_000

export async function readDecided(
  db: Db,
  { org_id, mode }: Owner,
  from: Date,
  to: Date,
): Promise<DecidedFact[]> {
  const { rows } = await sql<DecidedFact>`
    select d.subject_id, d.subject, d.number, d.decision, d.decided_at, d.decided_by,
      d.source is not null as is_outcome, p.decision as previous, p.decided_by as previous_by,
      not exists (
        select from review_decisions n where n.org_id = d.org_id and n.subject_id = d.subject_id
          and n.number = d.number + 1) as is_current,
      r.created_at as queued_at, r.case_id is not null as is_flagged, coalesce(r.flags, '{}') as flags,
      (o.request ->> 'amount_cents')::float8 as amount_cents,
      upper(coalesce(o.request ->> 'currency', 'USD')) as currency,
      array(select distinct a ->> 'rule' from json_array_elements(o.assessment -> 'adjustments') a
        where a ->> 'by' = 'rule') as rules,
      array(select distinct a ->> 'rule' from json_array_elements(o.assessment -> 'shadows') a
        where a ->> 'by' = 'rule') as shadow_rules
    from (
      select * from review_decisions
      where org_id = ${org_id} and mode = ${mode} and decided_at >= ${from} and decided_at < ${to}
      order by decided_at desc limit ${DECISIONS_MAX}) d
    left join review_decisions p
      on p.org_id = d.org_id and p.subject_id = d.subject_id and p.number = d.number - 1
    left join lateral (
      select created_at, case_id, flags from reviews r
      where r.org_id = d.org_id and r.subject_id = d.subject_id and r.subject = d.subject limit 1) r on true
    left join lateral (
      select request, assessment from orders o
      where d.subject = 'order' and o.org_id = d.org_id and o.id = d.subject_id limit 1) o on true
    order by d.decided_at desc`.execute(db)
  return rows
}
