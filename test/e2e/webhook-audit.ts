/** Compares what the receivers of webhooks got with the events and deliveries in the database. */
import { sql } from 'kysely'
import type { Received } from '../../emulators/receiver.ts'
import type { Database } from '../../src/platform/postgres/db.ts'
import { withDatabase } from './books.ts'
import type { Hook } from './webhook-receiver.ts'

export type WebhookAudit = {
  /** Number of live events; the endpoints do not receive others. */
  events: number
  /** `path event id` of events that did not arrive there. */
  missing: string[]
  /** Received ids that are not in the database, or that arrived at an endpoint not subscribed to them. */
  unknown: string[]
  /** Received ids with an invalid signature. */
  unsigned: string[]
  /** Received ids whose body, id or type differs from the stored event. */
  wrong_bodies: string[]
  /** `path event id` without exactly one delivery, or with one that has not succeeded. */
  wrong_deliveries: string[]
  /** Ids of acknowledged checks that no received event contains. */
  missing_checks: string[]
}

type Event = { id: string; mode: string; type: string; body: string }
type Delivery = { endpoint_id: string; event_id: string; is_right: boolean }

/** @param checks ids of the acknowledged checks */
export const readWebhookAudit = async (
  dataDir: string,
  hooks: Hook[],
  received: readonly Received[],
  checks: Iterable<string>,
): Promise<WebhookAudit> =>
  await withDatabase(dataDir, (db) => compare(db, hooks, received, new Set(checks)))

async function compare(
  db: Database,
  hooks: Hook[],
  received: readonly Received[],
  checks: Set<string>,
): Promise<WebhookAudit> {
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
  const missingChecks = new Set(checks)
  for (const { body } of received) missingChecks.delete(checkOf(body))
  const named = ({ delivery }: Received) => delivery ?? 'without an id'
  return {
    events: events.size,
    missing: expected.filter((key) => !taken.has(key)),
    unknown: received.filter((one) => !wanted.has(`${one.path} ${one.delivery}`)).map(named),
    unsigned: received.filter(({ signature }) => signature !== 'valid').map(named),
    wrong_bodies: received.filter((one) => !isAsStored(one, events.get(named(one)))).map(named),
    wrong_deliveries: await wrongDeliveries(db, hooks, wanted),
    missing_checks: [...missingChecks],
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
    // A second delivery of the same event is no longer in the set.
    if (!open.delete(key) || !is_right) wrong.push(key)
  }
  return [...wrong, ...open]
}

/** Whether nothing is left to be sent. May be called while the service is running. */
export const isAllSent = async (dataDir: string): Promise<boolean> =>
  await withDatabase(dataDir, async (db) => {
    const { rows } = await sql`
      select from webhook_deliveries where due_at is not null limit 1`.execute(db)
    return rows.length === 0
  })
