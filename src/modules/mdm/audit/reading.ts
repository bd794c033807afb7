/**
 * The audit log, the newest entry first. A page is found by the counts of days, and then in the entries
 * of its day: ids begin with the time (RFC 9562), so that a day is a range of them.
 */
import type { Paging } from '../../../platform/http/paging.ts'
import { paginationOf } from '../../../platform/http/paging.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { pagesBy } from '../reports/pages.ts'
import type { AuditAction } from './entry.ts'
import { shownEntry } from './record.ts'
import type { AuditLogPage } from './schema.ts'
import {
  countEntriesByDay,
  type EntriesOfDay,
  type ExportedEntry,
  listEntries,
  listExportedEntries,
} from './store.ts'

export type AuditReading = {
  list(orgId: string, asked: { action?: AuditAction } & Paging): Promise<AuditLogPage>
  /** All of it, page by page. */
  stream(orgId: string, action: AuditAction | undefined): AsyncIterable<ExportedEntry[]>
}

export function createAuditReading({ db }: { db: Db }): AuditReading {
  return {
    list: async (orgId, { action, ...paging }) => {
      const days = await countEntriesByDay(db, orgId, action)
      const total = days.reduce((sum, { entries }) => sum + entries, 0)
      const place = placeOf(days, (paging.page - 1) * paging.limit)
      const { limit } = paging
      const rows =
        place === undefined ? [] : await listEntries(db, orgId, { action, ...place, limit })
      return { entries: rows.map(shownEntry), pagination: paginationOf(paging, total) }
    },
    stream: (orgId, action) =>
      pagesBy(
        async (before, limit) => await listExportedEntries(db, orgId, { action, before, limit }),
      ),
  }
}

const DAY_MS = 86_400_000

/**
 * Where the entry after `skipped` others is. @param days the latest first
 * @returns undefined when there are not so many
 */
export function placeOf(
  days: readonly EntriesOfDay[],
  skipped: number,
): { before: string | undefined; skipped: number } | undefined {
  let left = skipped
  for (const [index, { day_ms, entries }] of days.entries()) {
    // On the latest day, what was added since is passed over too, as on any first page.
    if (left < entries)
      return { before: index === 0 ? undefined : firstId(day_ms + DAY_MS), skipped: left }
    left -= entries
  }
  return undefined
}

/** No id of this time or later is smaller. */
export function firstId(timeMs: number): string {
  const time = timeMs.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}
