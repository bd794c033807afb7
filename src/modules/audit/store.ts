/** SQL for the audit log. Triggers in the database reject changes and deletions of entries. */
import type { Database, Db } from '../../platform/postgres/db.ts'
import { expirePortion } from '../../platform/postgres/partitions/index.ts'
import type { AuditEntry } from './schema.ts'

export type NewAuditEntry = {
  id: string
  at: Date
  /** Null for the service itself and for its command line. */
  actor_user_id: string | null
  /** `subject.verb`, such as `member.removed`. */
  action: string
  /** Display name of the affected object: an e-mail, or the hint of a key. */
  target?: string | undefined
  /** The changed values, never a secret. */
  details?: Record<string, unknown>
}

/** Call it in the transaction of the change, so that the change and its entry are atomic. */
export async function insertAudit(tx: Db, orgId: string, entry: NewAuditEntry): Promise<void> {
  const { target = null, details = {}, ...rest } = entry
  await tx
    .insertInto('audit_log')
    .values({ org_id: orgId, ...rest, target, details: JSON.stringify(details) })
    .execute()
}

/** Newest first. @param page.before id of the last entry of the previous page */
export async function listAudit(
  db: Db,
  orgId: string,
  page: { before?: string | undefined; limit: number },
): Promise<AuditEntry[]> {
  const rows = await db
    .selectFrom('audit_log as entry')
    .leftJoin('users as actor', 'actor.id', 'entry.actor_user_id')
    .select(['entry.id', 'entry.at', 'entry.actor_user_id', 'actor.email as actor_email'])
    .select(['entry.action', 'entry.target', 'entry.details'])
    .where('entry.org_id', '=', orgId)
    .$if(page.before !== undefined, (query) => query.where('entry.id', '<', page.before ?? ''))
    .orderBy('entry.id', 'desc')
    .limit(page.limit)
    .execute()
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
}

/** Drops a month of entries. @returns whether one was dropped */
export const expireAudit = async (db: Database, before: Date): Promise<boolean> =>
  await expirePortion(db, { table: 'audit_log', before })
