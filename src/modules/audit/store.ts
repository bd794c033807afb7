/** SQL of the audit log. The database refuses to change or delete entries. */
import type { Db } from '../../platform/postgres/db.ts'
import type { AuditEntry } from './schema.ts'

export type NewAuditEntry = {
  id: string
  at: Date
  /** Null: the service itself, or somebody at its command line. */
  actor_user_id: string | null
  /** `subject.verb`, such as `member.removed`. */
  action: string
  /** What it was done to, as people know it: an e-mail, the hint of a key. */
  target?: string | undefined
  /** Only what changed; never a secret. */
  details?: Record<string, unknown>
}

/** In the transaction that does it: what happened and its entry exist both or not at all. */
export async function insertAudit(tx: Db, orgId: string, entry: NewAuditEntry): Promise<void> {
  const { target = null, details = {}, ...rest } = entry
  await tx
    .insertInto('audit_log')
    .values({ org_id: orgId, ...rest, target, details: JSON.stringify(details) })
    .execute()
}

/** Newest first. @param page.before id of the last entry that was shown */
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
