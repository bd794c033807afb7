/** The request log of an organisation, in pages that cost the same however much there is. */
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { RequestPage } from './schema.ts'
import { KEPT_MS } from './slots.ts'
import { countLeftOut, findLastExamined, listRequests, type RequestFilter } from './store.ts'

export type RequestReading = {
  /** @param page.after `next_cursor` of the page before, a UUID */
  list(
    orgId: string,
    filter: RequestFilter,
    page: { after: string | undefined; limit: number },
  ): Promise<RequestPage>
}

export function createRequestReading({
  db,
  clock,
}: {
  db: Database
  clock: Clock
}): RequestReading {
  return {
    list: async (orgId, filter, page) => {
      const walk = { ...page, since: new Date(clock.now().getTime() - KEPT_MS) }
      const rows = await listRequests(db, orgId, filter, walk)
      const isFull = rows.length === page.limit
      const passed = isFull ? undefined : await findLastExamined(db, orgId, walk)
      const last = isFull ? rows.at(-1)?.id : passed?.id
      return {
        requests: rows.map((row) => ({ ...row, at: row.at.toISOString() })),
        next_cursor: last ?? null,
        left_out: await countLeftOut(db, orgId, walk, last),
        examined_until: passed?.at.toISOString() ?? null,
      }
    },
  }
}
