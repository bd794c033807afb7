/** SQL of the audit log. Rows are added in the transaction of what they tell; nothing changes them. */
import type { Db } from '../../../platform/postgres/db.ts'
import type { ActorType, MdmTables } from '../../../platform/postgres/tables/mdm.ts'

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
