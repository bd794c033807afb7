/** The audit log, read in pages. */
import { isUuid } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { AuditPage } from './schema.ts'
import { listAudit } from './store.ts'

export type AuditLog = {
  /**
   * Newest first.
   * @param page.cursor `next_cursor` of the previous page
   * @returns undefined when the cursor is invalid
   */
  list(
    orgId: string,
    page: { cursor?: string | undefined; limit: number },
  ): Promise<AuditPage | undefined>
}

export function createAuditLog({ db }: { db: Database }): AuditLog {
  return {
    list: async (orgId, { cursor, limit }) => {
      if (cursor !== undefined && !isUuid(cursor)) return undefined
      const entries = await listAudit(db, orgId, { before: cursor, limit })
      const next_cursor = entries.length === limit ? (entries.at(-1)?.id ?? null) : null
      return { entries, next_cursor }
    },
  }
}
