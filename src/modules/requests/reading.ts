/** The request log of an organisation, in pages that cost the same however much there is. */
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import type { RequestPage } from './schema.ts'
import { KEPT_MS } from './slots.ts'
import {
  countLeftOut,
  findLastExamined,
  listRequests,
  type RequestFilter,
  type RequestWalk,
} from './store.ts'

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
      // One snapshot: how far back it looked is counted from the newest entry.
      const once = db.transaction().setIsolationLevel('repeatable read')
      return await once.execute(async (tx) => await readPage(tx, orgId, filter, walk))
    },
  }
}

async function readPage(
  tx: Db,
  orgId: string,
  filter: RequestFilter,
  walk: RequestWalk,
): Promise<RequestPage> {
  const rows = await listRequests(tx, orgId, filter, walk)
  const isFull = rows.length === walk.limit
  const passed = isFull ? undefined : await findLastExamined(tx, orgId, walk)
  const last = isFull ? rows.at(-1)?.id : passed?.id
  return {
    requests: rows.map((row) => ({ ...row, at: row.at.toISOString() })),
    next_cursor: last ?? null,
    left_out: await countLeftOut(tx, orgId, walk, last),
    examined_until: passed?.at.toISOString() ?? null,
  }
}
