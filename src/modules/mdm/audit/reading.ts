/**
 * Pages of the audit log, newest entry first. Counts per day locate the day of a page, and an offset
 * locates the page within the day: ids begin with the time (RFC 9562), so a day is a range of ids.
 */

import type { Paging } from '../../../platform/http/paging.ts'
import { paginationOf } from '../../../platform/http/paging.ts'
import { lowestIdAt } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import { pagesBy } from '../reports/pages.ts'
import type { AuditAction } from './entry.ts'
import { toAuditEntry } from './record.ts'
import type { AuditLogPage } from './schema.ts'
import {
  countEntriesByDay,
  type EntriesOfDay,
  type ExportedEntry,
  listEntries,
  listExportedEntries,
} from './store.ts'

export type AuditReading = {
  list(orgId: string, query: { action?: AuditAction } & Paging): Promise<AuditLogPage>
  /** The whole log, page by page. */
  stream(orgId: string, action: AuditAction | undefined): AsyncIterable<ExportedEntry[]>
}

export function createAuditReading({ db }: { db: Db }): AuditReading {
  return {
    list: async (orgId, { action, ...paging }) => {
      const days = await countEntriesByDay(db, orgId, action)
      const total = days.reduce((sum, { entries }) => sum + entries, 0)
      const { page, limit } = paging
      const start = locatePage(days, (page - 1) * limit)
      const rows = start && (await listEntries(db, orgId, { action, ...start, limit }))
      return { entries: (rows ?? []).map(toAuditEntry), pagination: paginationOf(paging, total) }
    },
    stream: (orgId, action) =>
      pagesBy(
        async (before, limit) => await listExportedEntries(db, orgId, { action, before, limit }),
      ),
  }
}

/**
 * Locates the entry that has `skipped` newer entries.
 *
 * @param days the latest first
 * @returns undefined when the log has no more than `skipped` entries
 */
export function locatePage(
  days: readonly EntriesOfDay[],
  skipped: number,
): { before: string | undefined; skipped: number } | undefined {
  let left = skipped
  for (const [index, { day_ms, entries }] of days.entries()) {
    // The latest day has no upper bound, so entries that were added after the count shift its pages.
    if (left < entries)
      return { before: index === 0 ? undefined : lowestIdAt(day_ms + DAY_MS), skipped: left }
    left -= entries
  }
  return undefined
}
