/** Compares everything that was acknowledged with both cells. */
import { sql } from 'kysely'
import { withDatabase } from './books.ts'

/** Ids that clients received, by the id that they sent. */
export type Acknowledged = Record<'checks' | 'orders', ReadonlyMap<string, string>>

export type Account = {
  acknowledged: number
  found: number
  /** Sent ids without the row that the client received. */
  lost: string[]
  /** Sent ids with several rows, or with several rows of usage or of the event, in both cells together. */
  doubled: string[]
}

type Stored = { sent: string; id: string }
type Row = Stored & { usages: number; events: number }
type Ids = { id: string; times: number }

const ROWS = {
  checks: sql<Stored>`select request ->> 'event_id' as sent, id::text from checks`,
  orders: sql<Stored>`select mode || '/' || external_order_id as sent, id::text from orders`,
}
const USAGES = sql<Ids>`
  select source::text as id, count(*)::integer as times
  from usage_events, unnest(coalesce(source_ids, array[source_id])) as source group by 1`
const EVENTS = sql<Ids>`
  select body::json -> 'data' ->> 'check_id' as id, count(*)::integer as times
  from events where type = 'email.check.completed' group by 1`

export async function readAccounts(
  dataDir: string,
  acknowledged: Acknowledged,
): Promise<Record<keyof Acknowledged, Account>> {
  const stored = { checks: [] as Stored[], orders: [] as Stored[] }
  const usages = new Map<string, number>()
  const events = new Map<string, number>()
  for (const schema of [undefined, 'east']) {
    await withDatabase(
      dataDir,
      async (db) => {
        stored.checks.push(...(await ROWS.checks.execute(db)).rows)
        stored.orders.push(...(await ROWS.orders.execute(db)).rows)
        addTimes(usages, (await USAGES.execute(db)).rows)
        addTimes(events, (await EVENTS.execute(db)).rows)
      },
      schema,
    )
  }
  const usagesOf = (row: Stored) => ({ ...row, usages: usages.get(row.id) ?? 0 })
  const checks = stored.checks.map((row) => ({ ...usagesOf(row), events: events.get(row.id) ?? 0 }))
  // Orders have events only when they are flagged.
  const orders = stored.orders.map((row) => ({ ...usagesOf(row), events: 1 }))
  return {
    checks: account(acknowledged.checks, checks),
    orders: account(acknowledged.orders, orders),
  }
}

function addTimes(sums: Map<string, number>, rows: readonly Ids[]): void {
  for (const { id, times } of rows) sums.set(id, (sums.get(id) ?? 0) + times)
}

function account(acknowledged: ReadonlyMap<string, string>, rows: readonly Row[]): Account {
  const found = new Map<string, Row[]>()
  for (const row of rows) found.set(row.sent, [...(found.get(row.sent) ?? []), row])
  const entries = [...acknowledged]
  const isFound = ([sent, id]: [string, string]) => found.get(sent)?.some((row) => row.id === id)
  const isDoubled = (of: readonly Row[]) =>
    of.length > 1 || of.some(({ usages, events }) => usages !== 1 || events !== 1)
  return {
    acknowledged: acknowledged.size,
    found: entries.filter(isFound).length,
    lost: entries.filter((entry) => !isFound(entry)).map(([sent]) => sent),
    doubled: [...found].filter(([, of]) => isDoubled(of)).map(([sent]) => sent),
  }
}
