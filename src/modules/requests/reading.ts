/** Reads the request log of an organization in pages, at a cost that does not depend on its size. */
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import type { RequestPage } from './schema.ts'
import { RETENTION_MS } from './slots.ts'
import {
  countLeftOut,
  findLastExamined,
  listRequests,
  type PageQuery,
  type RequestFilter,
} from './store.ts'

export type RequestReading = {
  /** @param page.after `next_cursor` of the previous page, a UUID */
  list(
    orgId: string,
    filter: RequestFilter,
    page: { after: string | undefined; limit: number },
  ): Promise<RequestPage>
}

type Dependencies = { db: Database; clock: Clock }

export function createRequestReading({ db, clock }: Dependencies): RequestReading {
  return {
    list: async (orgId, filter, page) => {
      const query = { ...page, since: new Date(clock.now().getTime() - RETENTION_MS) }
      // One snapshot, because the examined rows are counted from the newest entry.
      const snapshot = db.transaction().setIsolationLevel('repeatable read')
      return await snapshot.execute(async (tx) => await readPage(tx, orgId, filter, query))
    },
  }
}

async function readPage(
  tx: Db,
  orgId: string,
  filter: RequestFilter,
  query: PageQuery,
): Promise<RequestPage> {
  const rows = await listRequests(tx, orgId, filter, query)
  const isFull = rows.length === query.limit
  const lastExamined = isFull ? undefined : await findLastExamined(tx, orgId, query)
  const last = isFull ? rows.at(-1)?.id : lastExamined?.id
  return {
    requests: rows.map((row) => ({ ...row, at: row.at.toISOString() })),
    next_cursor: last ?? null,
    left_out: await countLeftOut(tx, orgId, query, last),
    examined_until: lastExamined?.at.toISOString() ?? null,
  }
}
