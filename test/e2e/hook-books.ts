/** Holds what receivers of webhooks got against the events and deliveries of the database. */
import { sql } from 'kysely'
import type { Received } from '../../emulators/receiver.ts'
import type { Database } from '../../src/platform/postgres/db.ts'
import { withDatabase } from './books.ts'
import type { Hook } from './hooks.ts'

export type HookBooks = {
  /** Those of the live mode; the endpoints are not for others. */
  events: number
  /** `path event id` of events that did not arrive there. */
  missing: string[]
  /** Received ids that are not in the database, or came where they were not asked for. */
  unknown: string[]
  /** Received with a signature that does not verify. */
  unsigned: string[]
  /** Received with another text than the event has, or under another id or name. */
  wrong_texts: string[]
  /** `path event id` without exactly one delivery, or with one that is not finished with success. */
  wrong_deliveries: string[]
  /** Ids of checks that were acknowledged and are in no received event. */
  untold_checks: string[]
}

type Event = { id: string; mode: string; type: string; body: string }
type Delivery = { endpoint_id: string; event_id: string; is_right: boolean }

/** @param checks ids of those that were acknowledged */
export const readHookBooks = async (
  dataDir: string,
  hooks: Hook[],
  received: readonly Received[],
  checks: Iterable<string>,
): Promise<HookBooks> =>
  await withDatabase(dataDir, (db) => compare(db, hooks, received, new Set(checks)))

async function compare(
  db: Database,
  hooks: Hook[],
  received: readonly Received[],
  checks: Set<string>,
): Promise<HookBooks> {
  const { rows } = await sql<Event>`select id, mode, type, body from events`.execute(db)
  const events = new Map(rows.filter(({ mode }) => mode === 'live').map((row) => [row.id, row]))
  const taken = new Set(
    received
      .filter(({ status }) => status === 200)
      .map(({ path, delivery }) => `${path} ${delivery}`),
  )
  const expected = hooks.flatMap((hook) =>
    [...events.values()]
      .filter(({ type }) => hook.events.some((one) => one === type))
      .map(({ id }) => `${hook.path} ${id}`),
  )
  const wanted = new Set(expected)
  const untold = new Set(checks)
  for (const { body } of received) untold.delete(checkOf(body))
  const named = ({ delivery }: Received) => delivery ?? 'without an id'
  return {
    events: events.size,
    missing: expected.filter((key) => !taken.has(key)),
    unknown: received.filter((one) => !wanted.has(`${one.path} ${one.delivery}`)).map(named),
    unsigned: received.filter(({ signature }) => signature !== 'valid').map(named),
    wrong_texts: received.filter((one) => !isAsStored(one, events.get(named(one)))).map(named),
    wrong_deliveries: await wrongDeliveries(db, hooks, wanted),
    untold_checks: [...untold],
  }
}

function isAsStored({ delivery, event, body }: Received, stored: Event | undefined): boolean {
  const { id, type } = JSON.parse(body) as { id: string; type: string }
  return body === stored?.body && id === delivery && type === event
}

const checkOf = (body: string): string =>
  (JSON.parse(body) as { data: { check_id?: string } }).data.check_id ?? ''

async function wrongDeliveries(
  db: Database,
  hooks: Hook[],
  expected: Set<string>,
): Promise<string[]> {
  const { rows } = await sql<Delivery>`
    select endpoint_id, event_id,
      (status = 'succeeded' and attempts >= 1 and due_at is null and lease_id is null
        and response_status = 200 and error is null) as is_right
    from webhook_deliveries`.execute(db)
  const paths = new Map(hooks.map(({ id, path }) => [id, path]))
  const open = new Set(expected)
  const wrong: string[] = []
  for (const { endpoint_id, event_id, is_right } of rows) {
    const key = `${paths.get(endpoint_id)} ${event_id}`
    // A second one finds that it is not expected any more.
    if (!open.delete(key) || !is_right) wrong.push(key)
  }
  return [...wrong, ...open]
}

/** Whether nothing is left to be sent. The service may be at work meanwhile. */
export const isAllSent = async (dataDir: string): Promise<boolean> =>
  await withDatabase(dataDir, async (db) => {
    const { rows } = await sql`
      select from webhook_deliveries where due_at is not null limit 1`.execute(db)
    return rows.length === 0
  })
