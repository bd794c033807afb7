/** SQL of the audit log. Rows are added in the transaction of what they tell; nothing changes them. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { ActorType, MdmTables } from '../../../platform/postgres/tables/mdm.ts'
import { withinBytes } from '../reports/store.ts'
import type { AuditAction } from './entry.ts'

export type AuditRow = MdmTables['mdm_audit_log']

export type Actor = { type: ActorType; id: string | null }

/** What Vigil does by itself, and what the provider told. */
export const SYSTEM: Actor = { type: 'system', id: null }
export const PROVIDER: Actor = { type: 'provider', id: null }
export const userActor = (userId: string): Actor => ({ type: 'user', id: userId })

/** One statement for any number of entries. */
export async function insertAuditEntries(db: Db, rows: readonly AuditRow[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('mdm_audit_log').values(rows).execute()
}

/** The timeline of a device, the newest first. */
export const listEntriesOfDevice = async (
  db: Db,
  orgId: string,
  deviceId: string,
  limit: number,
): Promise<AuditRow[]> =>
  await db
    .selectFrom('mdm_audit_log')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('device_id', '=', deviceId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

export type EntriesOfDay = { day_ms: number; entries: number }

/** From the counts that are kept, the latest day first. */
export async function countEntriesByDay(
  db: Db,
  orgId: string,
  action: AuditAction | undefined,
): Promise<EntriesOfDay[]> {
  const { rows } = await sql<EntriesOfDay>`
    select (extract(epoch from day) * 1000)::bigint as day_ms, sum(entries)::bigint as entries
    from mdm_audit_counts where org_id = ${orgId} ${ofAction(action)}
    group by day order by day desc`.execute(db)
  return rows
}

/** The newest first. @param before an id that they come before, undefined for the newest of all */
export async function listEntries(
  db: Db,
  orgId: string,
  { skipped = 0, limit, ...wanted }: Wanted & { skipped?: number; limit: number },
): Promise<AuditRow[]> {
  const { rows } = await sql<AuditRow>`
    select * from mdm_audit_log
    where ${areWanted(orgId, wanted)}
    order by id desc limit ${limit} offset ${skipped}`.execute(db)
  return rows
}

export type ExportedEntry = Omit<AuditRow, 'org_id' | 'device_id'>

/** The newest first; fewer than `limit` where they are large. */
export async function listExportedEntries(
  db: Db,
  orgId: string,
  { limit, ...wanted }: Wanted & { limit: number },
): Promise<ExportedEntry[]> {
  const { rows } = await sql<ExportedEntry>`${withinBytes(sql`
    select id, action, actor_type, actor_id, target_type, target_id, before, after, created_at
    from mdm_audit_log
    where ${areWanted(orgId, wanted)}
    order by id desc limit ${limit}`)}`.execute(db)
  return rows
}

type Wanted = { action: AuditAction | undefined; before: string | undefined }

const areWanted = (orgId: string, { action, before }: Wanted): RawBuilder<unknown> => sql`
  org_id = ${orgId} ${ofAction(action)}
    ${before === undefined ? sql`` : sql`and id < ${before}::uuid`}`

const ofAction = (action: AuditAction | undefined): RawBuilder<unknown> =>
  action === undefined ? sql`` : sql`and action = ${action}`
