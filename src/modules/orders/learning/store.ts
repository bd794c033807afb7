import { sql } from 'kysely'
import type { Mode, Owner } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { Learned } from './schema.ts'

export type StoredLearning = { automatic: boolean; result: Learned | null; learned_at: Date | null }

export async function findLearning(
  db: Db,
  { org_id, mode }: Owner,
): Promise<StoredLearning | undefined> {
  const row = await db
    .selectFrom('rules_learning')
    .select(['automatic', 'result', 'learned_at'])
    .where('org_id', '=', org_id)
    .where('mode', '=', mode)
    .executeTakeFirst()
  return row as StoredLearning | undefined
}

/**
 * Lists organizations with decisions about orders from which nothing was learned for a day, longest
 * first.
 */
export async function listDueOwners(db: Db, limit: number): Promise<Owner[]> {
  const { rows } = await sql<{ org_id: string; mode: Mode }>`
    select g.id as org_id, m.mode
    from organizations g cross join (values ('live'), ('test')) as m (mode)
    left join rules_learning l on l.org_id = g.id and l.mode = m.mode
    where (l.learned_at is null or l.learned_at < now() - interval '1 day')
      and exists (select from review_decisions d
        where d.org_id = g.id and d.mode = m.mode and d.subject = 'order')
    order by l.learned_at nulls first limit ${limit}`.execute(db)
  return rows
}

/** @returns false when another process claimed the organization for this day */
export async function claimLearning(db: Db, { org_id, mode }: Owner): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into rules_learning as l (org_id, mode, learned_at) values (${org_id}, ${mode}, now())
    on conflict (org_id, mode) do update set learned_at = excluded.learned_at
    where l.learned_at is null or date_part('epoch', excluded.learned_at - l.learned_at) > 86400`.execute(
    db,
  )
  return numAffectedRows === 1n
}

export async function writeLearned(
  db: Db,
  { org_id, mode }: Owner,
  result: Learned,
): Promise<void> {
  const json = JSON.stringify(result)
  await sql`
    insert into rules_learning (org_id, mode, result, learned_at)
    values (${org_id}, ${mode}, ${json}::json, now())
    on conflict (org_id, mode) do update
    set result = excluded.result, learned_at = excluded.learned_at`.execute(db)
}

export async function writeAutomatic(
  db: Db,
  { org_id, mode }: Owner,
  automatic: boolean,
): Promise<void> {
  await sql`
    insert into rules_learning (org_id, mode, automatic) values (${org_id}, ${mode}, ${automatic})
    on conflict (org_id, mode) do update set automatic = excluded.automatic`.execute(db)
}
