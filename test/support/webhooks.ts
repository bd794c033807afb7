/** Adds webhook endpoints, events and deliveries directly to the database. */
import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { emitEvents, type OutboxEvent } from '../../src/modules/events/index.ts'
import type { WebhookTables } from '../../src/modules/webhooks/tables.ts'
import type { Db } from '../../src/platform/postgres/db.ts'

type Endpoint = Selectable<WebhookTables['webhook_endpoints']>
type Delivery = WebhookTables['webhook_deliveries']

/** The stored secret is not sealed, so the endpoint is unusable for a real dispatcher. */
export async function addEndpoint(db: Db, given: Partial<Endpoint> = {}): Promise<Endpoint> {
  const now = new Date()
  const id = given.id ?? randomUUID()
  const endpoint: Endpoint = {
    org_id: randomUUID(),
    id,
    mode: 'live',
    url: `https://${id}.example/hook`,
    host: `${id}.example:443`,
    events: ['email.check.completed'],
    description: '',
    status: 'active',
    secret: 'sealed',
    secret_prefix: 'whsec_abcd',
    pause_reason: null,
    paused_at: null,
    failing_since: null,
    created_at: now,
    updated_at: now,
    filter: null,
    filter_path: null,
    sealed_headers: null,
    header_names: [],
    rate_per_second: null,
    paced_until: null,
    previous_secret: null,
    previous_secret_until: null,
    portal_id: null,
    ...given,
  }
  const filter = endpoint.filter && JSON.stringify(endpoint.filter)
  await db
    .insertInto('webhook_endpoints')
    .values({ ...endpoint, filter })
    .execute()
  return endpoint
}

export const newEvent = (org_id: string, given: Partial<OutboxEvent> = {}): OutboxEvent => ({
  id: randomUUID(),
  org_id,
  mode: 'live',
  type: 'email.check.completed',
  data: {},
  occurred_at: new Date(),
  ...given,
})

export async function addEvents(db: Db, orgId: string, count: number): Promise<OutboxEvent[]> {
  const events = Array.from({ length: count }, () => newEvent(orgId))
  await emitEvents(db, events)
  return events
}

/** Adds two endpoints, and to the first a delivery that has failed once and is not due soon. */
export async function addFailedDelivery(db: Db, orgId: string) {
  const endpoint = await addEndpoint(db, { org_id: orgId })
  await addEvents(db, orgId, 1)
  const other = await addEndpoint(db, { org_id: orgId })
  await sql`
    update webhook_deliveries set status = 'failed', attempts = 1, attempted_at = now(),
      due_at = now() + interval '1 day', response_status = 503, response_body = 'busy',
      error = 'Answered 503', latency_ms = 7
    where endpoint_id = ${endpoint.id}`.execute(db)
  const [delivery] = await deliveriesOf(db, endpoint.id)
  if (!delivery) throw new Error('the event has no delivery')
  return { endpoint_id: endpoint.id, other_id: other.id, delivery_id: delivery.id }
}

/** Deliveries of an endpoint, oldest first. */
export async function deliveriesOf(db: Db, endpointId: string): Promise<Delivery[]> {
  return await db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('endpoint_id', '=', endpointId)
    .orderBy('id')
    .execute()
}

/** Moves due times and leases into the past by this time. */
export async function letPass(db: Db, endpointId: string, ms: number): Promise<void> {
  const shift = sql`${ms}::float8 * interval '1 millisecond'`
  await sql`
    update webhook_deliveries set due_at = due_at - ${shift}, leased_until = leased_until - ${shift}
    where endpoint_id = ${endpointId}`.execute(db)
}
