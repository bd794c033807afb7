/** SQL of the replay queue. Leases expire by the clock of the database. */
import { sql } from 'kysely'
import type { Owner } from '../../../platform/owner.ts'
import { counted } from '../../../platform/postgres/counted.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import type { CustomRule } from '../../custom-rules/index.ts'
import type { RuleOverrides } from '../scoring/parameters.ts'
import type { OrderTables } from '../tables.ts'
import type { ReplayResult } from './schema.ts'

type Replays = OrderTables['rules_replays']

export type NewReplay = Pick<
  Replays,
  'org_id' | 'id' | 'mode' | 'from_at' | 'to_at' | 'created_by' | 'created_at'
> & { overrides: RuleOverrides; custom_rules: CustomRule[] }

export type StoredReplay = NewReplay &
  Pick<Replays, 'state' | 'orders_total' | 'read_until' | 'fault' | 'finished_at'> & {
    orders_read: number
    result: ReplayResult | null
  }

const COLUMNS = sql`r.org_id, r.id, r.mode, r.state, r.overrides, r.custom_rules, r.from_at, r.to_at, r.orders_read,
  r.orders_total, r.read_until, r.result, r.fault, r.created_by, r.created_at, r.finished_at`

/** @returns false when the organization already has `waitingMax` unfinished replays */
export async function insertReplay(
  db: Database,
  row: NewReplay,
  waitingMax: number,
): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    // Inserts of one organization are serialized because each counts the ones before it.
    await sql`
      select pg_advisory_xact_lock(hashtextextended(${`rules_replays:${row.org_id}`}, 0))`.execute(
      tx,
    )
    return await insertIfFew(tx, row, waitingMax)
  })
}

async function insertIfFew(db: Db, row: NewReplay, waitingMax: number): Promise<boolean> {
  const { org_id, id, mode, from_at, to_at, created_by, created_at } = row
  const { numAffectedRows } = await sql`
    ${counted(sql`rules_replays where org_id = ${org_id} and state in ('queued', 'running')`)}
    insert into rules_replays (org_id, id, mode, state, overrides, custom_rules, from_at, to_at,
      created_by, created_at)
    select ${org_id}, ${id}, ${mode}, 'queued', ${JSON.stringify(row.overrides)}::json,
      ${JSON.stringify(row.custom_rules)}::json,
      ${from_at}::timestamptz, ${to_at}::timestamptz, ${created_by}, ${created_at}::timestamptz
    from counted where total < ${waitingMax}`.execute(db)
  return numAffectedRows === 1n
}

export async function findReplay(
  db: Db,
  orgId: string,
  id: string,
): Promise<StoredReplay | undefined> {
  const { rows } = await sql<StoredReplay>`
    select ${COLUMNS} from rules_replays r
    where r.org_id = ${orgId} and r.id = ${id}`.execute(db)
  return rows[0]
}

/** Stores a replay that the command line has run, so that it is listed with the others. */
export async function insertFinished(
  db: Db,
  { org_id, id, mode, from_at, to_at, created_by, created_at, ...row }: NewReplay,
  result: ReplayResult,
): Promise<void> {
  await sql`
    insert into rules_replays (org_id, id, mode, state, overrides, custom_rules, from_at, to_at,
      created_by, created_at, finished_at, orders_read, orders_total, result)
    values (${org_id}, ${id}, ${mode}, 'done', ${JSON.stringify(row.overrides)}::json,
      ${JSON.stringify(row.custom_rules)}::json, ${from_at}, ${to_at}, ${created_by}, ${created_at},
      ${created_at}, ${result.orders}, ${result.orders}, ${JSON.stringify(result)}::json)`.execute(
    db,
  )
}

/** Whether a finished replay had these rules. */
export async function hasReplay(
  db: Db,
  { org_id, mode }: Owner,
  { overrides, custom_rules }: Pick<NewReplay, 'overrides' | 'custom_rules'>,
): Promise<boolean> {
  const { rows } = await sql`
    select from rules_replays
    where org_id = ${org_id} and mode = ${mode} and state = 'done'
      and overrides::jsonb = ${JSON.stringify(overrides)}::jsonb
      and custom_rules::jsonb = ${JSON.stringify(custom_rules)}::jsonb limit 1`.execute(db)
  return rows.length > 0
}

/** Lists replays, newest first. @param page.before id that the listed ones must precede */
export async function listReplays(
  db: Db,
  { org_id, mode }: Owner,
  page: { before?: string | undefined; limit: number },
): Promise<StoredReplay[]> {
  const { before } = page
  const { rows } = await sql<StoredReplay>`
    select ${COLUMNS} from rules_replays r
    where r.org_id = ${org_id} and r.mode = ${mode}
      ${before === undefined ? sql`` : sql`and r.id < ${before}::uuid`}
    order by r.id desc limit ${page.limit}`.execute(db)
  return rows
}

/** Cancels a replay unless it has finished. */
export async function cancelReplay(db: Db, orgId: string, id: string, now: Date): Promise<void> {
  await sql`
    update rules_replays set state = 'cancelled', finished_at = ${now}, lease_id = null
    where org_id = ${orgId} and id = ${id} and state in ('queued', 'running')`.execute(db)
}

export type ClaimedReplay = NewReplay & { lease_id: string; attempts: number }

/**
 * Claims a queued replay, or one whose lease expired, which then starts over. The organization
 * whose last replay ended longest ago goes first; one with a running replay is skipped.
 */
export async function claimReplay(
  db: Db,
  leaseId: string,
  leaseSeconds: number,
): Promise<ClaimedReplay | undefined> {
  const { rows } = await sql<ClaimedReplay>`
    update rules_replays r set state = 'running', lease_id = ${leaseId},
      leased_until = now() + make_interval(secs => ${leaseSeconds}), attempts = attempts + 1,
      orders_read = 0, orders_total = null, read_until = null
    where (r.org_id, r.id) = (
      select n.org_id, n.id from rules_replays n
      where n.state in ('queued', 'running') and (n.state = 'queued' or n.leased_until < now())
        and not exists (select from rules_replays a
          where a.org_id = n.org_id and a.state = 'running' and a.leased_until >= now())
      order by (select max(f.finished_at) from rules_replays f where f.org_id = n.org_id)
        nulls first, n.id
      limit 1 for update skip locked)
    returning ${COLUMNS}, r.lease_id, r.attempts`.execute(db)
  return rows[0]
}

type Held = Pick<ClaimedReplay, 'org_id' | 'id' | 'lease_id'>
const isHeld = ({ org_id, id, lease_id }: Held) =>
  sql`org_id = ${org_id} and id = ${id} and lease_id = ${lease_id} and state = 'running'`

/**
 * Writes progress and extends the lease.
 * @returns false when the replay was canceled or claimed by another process
 */
export async function renewReplay(
  db: Db,
  held: Held,
  progress: { orders: number; total: number; until: Date },
  leaseSeconds: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update rules_replays set orders_read = ${progress.orders}, orders_total = ${progress.total},
      read_until = ${progress.until}, leased_until = now() + make_interval(secs => ${leaseSeconds})
    where ${isHeld(held)}`.execute(db)
  return numAffectedRows === 1n
}

/** Stores the outcome unless the replay was canceled or claimed in the meantime. */
export async function finishReplay(
  db: Db,
  held: Held,
  end: { result: ReplayResult } | { fault: string },
  now: Date,
): Promise<void> {
  if ('fault' in end) {
    await sql`
      update rules_replays set state = 'failed', fault = ${end.fault}, finished_at = ${now},
        lease_id = null
      where ${isHeld(held)}`.execute(db)
    return
  }
  // The last written progress is older than the end.
  await sql`
    update rules_replays set state = 'done', result = ${JSON.stringify(end.result)}::json,
      finished_at = ${now}, lease_id = null,
      orders_read = greatest(orders_read, orders_total, ${end.result.orders})
    where ${isHeld(held)}`.execute(db)
}

/** Puts a replay back into the queue. @param counts whether the attempt counts */
export async function releaseReplay(db: Db, held: Held, counts: boolean): Promise<void> {
  await sql`
    update rules_replays set state = 'queued', lease_id = null, orders_read = 0,
      attempts = attempts - ${counts ? 0 : 1}
    where ${isHeld(held)}`.execute(db)
}

/** Deletes a bounded number of old finished replays. @returns the number of deleted replays */
export async function sweepRulesReplays(db: Db, before: Date): Promise<number> {
  const result = await sql`
    delete from rules_replays where ctid = any(array(
      select ctid from rules_replays where finished_at < ${before}
      limit ${sql.lit(SWEEP_ROWS_MAX)}))`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}

const SWEEP_ROWS_MAX = 1000
