/** SQL of the audit log. Entries are added in the transaction of the action, and never changed. */
import { type RawBuilder, sql } from 'kysely'
import type { NewId } from '../../../platform/ids.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { expirePortion } from '../../../platform/postgres/partitions/index.ts'
import { withinBytes } from '../reports/store.ts'
import { type AuditAction, type AuditFacts, type AuditRow, auditEntry } from './entry.ts'

const COLUMNS = [
  'org_id',
  'id',
  'device_id',
  'action',
  'actor_type',
  'actor_id',
  'target_type',
  'target_id',
  'before',
  'after',
  'created_at',
] as const satisfies readonly (keyof AuditRow)[]

export async function writeAudit(
  db: Db,
  newId: NewId,
  now: Date,
  facts: AuditFacts | readonly AuditFacts[],
): Promise<void> {
  const rows = [facts].flat().map((each) => auditEntry(newId, now, each))
  await insertAuditEntries(db, rows)
}

/** Inserts any number of entries with one statement. */
export async function insertAuditEntries(db: Db, rows: readonly AuditRow[]): Promise<void> {
  if (rows.length === 0) return
  const columns = sql.raw(COLUMNS.join(', '))
  // One parameter, because a batch of notifications would have thousands.
  await sql`
    insert into mdm_audit_log (${columns})
    select ${columns}
    from json_populate_recordset(null::mdm_audit_log, ${JSON.stringify(rows)}::json)`.execute(db)
}

/** The timeline of a device, newest first. */
export const listEntriesOfDevice = async (
  db: Db,
  org_id: string,
  device_id: string,
  limit: number,
): Promise<AuditRow[]> =>
  await db
    .selectFrom('mdm_audit_log')
    .selectAll()
    .where((eb) => eb.and({ org_id, device_id }))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

export type EntriesOfDay = { day_ms: number; entries: number }

/** Reads the counts that a trigger maintains, latest day first. */
export async function countEntriesByDay(
  db: Db,
  orgId: string,
  action: AuditAction | undefined,
): Promise<EntriesOfDay[]> {
  const { rows } = await sql<EntriesOfDay>`
    select (extract(epoch from day) * 1000)::bigint as day_ms, sum(entries)::bigint as entries
    from mdm_audit_counts where org_id = ${orgId} ${hasAction(action)}
    group by day order by day desc`.execute(db)
  return rows
}

/**
 * Newest first.
 *
 * @param before only entries older than this id; undefined starts with the newest
 */
export async function listEntries(
  db: Db,
  orgId: string,
  { skipped = 0, limit, ...filter }: EntryFilter & { skipped?: number; limit: number },
): Promise<AuditRow[]> {
  const { rows } = await sql<AuditRow>`
    select * from mdm_audit_log
    where ${matches(orgId, filter)}
    order by id desc limit ${limit} offset ${skipped}`.execute(db)
  return rows
}

/** Drops a month of entries, with their counts. @returns whether one was dropped */
export const expireMdmAudit = async (db: Database, before: Date): Promise<boolean> =>
  await expirePortion(db, {
    table: 'mdm_audit_log',
    before,
    onDrop: async (tx, until) => {
      await sql`delete from mdm_audit_counts
        where day < (${until}::timestamptz at time zone 'UTC')::date`.execute(tx)
    },
  })

export type ExportedEntry = Omit<AuditRow, 'org_id' | 'device_id'>

/** Newest first; fewer than `limit` where entries are large. */
export async function listExportedEntries(
  db: Db,
  orgId: string,
  { limit, ...filter }: EntryFilter & { limit: number },
): Promise<ExportedEntry[]> {
  const { rows } = await sql<ExportedEntry>`${withinBytes(sql`
    select id, action, actor_type, actor_id, target_type, target_id, before, after, created_at
    from mdm_audit_log
    where ${matches(orgId, filter)}
    order by id desc limit ${limit}`)}`.execute(db)
  return rows
}

type EntryFilter = { action: AuditAction | undefined; before: string | undefined }

const matches = (orgId: string, { action, before }: EntryFilter): RawBuilder<unknown> => sql`
  org_id = ${orgId} ${hasAction(action)}
    ${before === undefined ? sql`` : sql`and id < ${before}::uuid`}`

const hasAction = (action: AuditAction | undefined): RawBuilder<unknown> =>
  action === undefined ? sql`` : sql`and action = ${action}`
