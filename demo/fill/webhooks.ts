/**
 * Webhook endpoints, and every delivery of the month: really sent to the emulated receiver, at the end
 * and quickly, and moved to its time in the month afterwards (`backdate.ts`).
 */
import { sql } from 'kysely'
import type { ReceiverScenario } from '../../emulators/receiver.ts'
import { createWebhookDispatcher } from '../../src/modules/webhooks/index.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { readAllowList } from '../../src/platform/net/allow-list.ts'
import { createGuardedPost } from '../../src/platform/net/guarded-post.ts'
import { DAY_MS, HOUR_MS } from '../../world/time.ts'
import {
  BEFORE,
  DOWN_DAYS,
  ENDPOINTS,
  HICCUP,
  NOW,
  type StoryEndpoint,
} from '../story/receivers.ts'
import { backdateDeliveries, backdateFailing } from './backdate.ts'
import type { DemoService, FillContext, People } from './context.ts'
import { waitFor } from './wait.ts'

export type Endpoints = ReadonlyMap<StoryEndpoint['key'], string>

const POLL_MS = 20
const DRAIN_MS = 1000
/**
 * A delivery that is refused once succeeds at the second attempt; one to an endpoint that is down stays
 * failed.
 */
const RETRIES_MS = [60, HOUR_MS]
/** One of this number of deliveries to the slow endpoint is refused at first. */
const HICCUP_EVERY = 9
const CONCURRENCY = 96

export async function createEndpoints(
  { services, emulators }: Pick<DemoService, 'services' | 'emulators'>,
  { org_id }: Pick<People, 'org_id'>,
): Promise<Endpoints> {
  const ids = new Map<StoryEndpoint['key'], string>()
  for (const { key, host, path, description, events } of ENDPOINTS) {
    const url = `https://${host}:${emulators.receiver.port}${path}`
    const { id } = await services.webhooks.create(org_id, { url, description, events: [...events] })
    ids.set(key, id)
  }
  return ids
}

/** A portal of an insurer, which has no endpoint yet. */
export async function createDemoPortal(
  { services }: Pick<DemoService, 'services'>,
  { org_id }: Pick<People, 'org_id'>,
): Promise<void> {
  await services.portals.create(org_id, {
    mode: 'live',
    name: 'Harbor Insurance',
    events: ['order.fraud.detected', 'order.fraud.alert'],
    filter: null,
    endpoints_max: 3,
    allowed_origins: [],
  })
}

/** After a restart the receiver can have another port. It behaves as at the end of the story. */
export async function updateReceiverPort(
  { services, emulators }: Pick<DemoService, 'services' | 'emulators'>,
  { org_id }: Pick<People, 'org_id'>,
): Promise<void> {
  const { receiver } = emulators
  receiver.setScenario(NOW)
  for (const { id, url } of await services.webhooks.list(org_id)) {
    const target = new URL(url)
    const isOurs = ENDPOINTS.some(({ host }) => host === target.hostname)
    if (!isOurs || target.port === String(receiver.port)) continue
    target.port = String(receiver.port)
    await services.webhooks.update(org_id, id, { url: target.href })
  }
}

/** Returns the number of deliveries. */
export async function deliverEvents(context: FillContext, endpoints: Endpoints): Promise<number> {
  const { stores, emulators, people, story } = context
  const { db } = stores
  const downSince = new Date(story.span.end - DOWN_DAYS * DAY_MS)
  await sql`update webhook_deliveries set due_at = now() + interval '1 day'
    where org_id = ${people.org_id} and due_at is not null`.execute(db)
  const down = endpoints.get('down') ?? ''
  const slow = endpoints.get('slow') ?? ''
  const isLate = sql`d.endpoint_id = ${down} and e.occurred_at >= ${downSince}`
  const isRefused = sql`d.endpoint_id = ${slow} and abs(hashtext(d.event_id::text)) % ${HICCUP_EVERY} = 0`
  const release = async (condition: ReturnType<typeof sql>, scenario: ReceiverScenario) => {
    emulators.receiver.setScenario(scenario)
    await sql`update webhook_deliveries d set due_at = now() from events e
      where d.org_id = ${people.org_id} and d.due_at is not null and d.attempts = 0
        and e.org_id = d.org_id and e.id = d.event_id and (${condition})`.execute(db)
    await waitFor('the webhook deliveries', async () => {
      const due = sql`select from webhook_deliveries
        where org_id = ${people.org_id} and due_at <= now() + interval '10 minutes' limit 1`
      return (await due.execute(db)).rows.length === 0
    })
  }
  const dispatcher = createDispatcher(context)
  dispatcher.start()
  try {
    await release(sql`not (${isLate}) and not (${isRefused})`, BEFORE)
    await release(isRefused, HICCUP)
    await release(isLate, NOW)
  } finally {
    await dispatcher.stop()
  }
  const count = await backdateDeliveries(db, people.org_id)
  await backdateFailing(db, {
    endpoint_id: down,
    schedule: context.config.webhook_retry_schedule,
    since: downSince,
    end: new Date(story.span.end),
  })
  return count
}

/** Differs from the dispatcher of the service in its retries and in its concurrency. */
function createDispatcher({ stores, config, emulators }: FillContext) {
  const { db, sealer, newId, log } = stores
  const post = createGuardedPost({
    allow: readAllowList(config.webhook_allow),
    dns_servers: config.dns_servers,
    resolve_timeout_ms: config.lookup_timeout_ms,
    connect_timeout_ms: config.webhook_deadline_ms,
    ca: emulators.authority.cert,
  })
  const dispatcher = createWebhookDispatcher({
    db,
    sealer,
    newId,
    clock: systemClock,
    log,
    post: post.post,
    deadline_ms: config.webhook_deadline_ms,
    retry_schedule_ms: RETRIES_MS,
    pause_after_ms: null,
    in_flight_max: CONCURRENCY * ENDPOINTS.length,
    per_endpoint_max: CONCURRENCY,
    per_host_max: CONCURRENCY,
    poll_ms: POLL_MS,
  })
  return {
    start: dispatcher.start,
    stop: async () => {
      await dispatcher.stop(DRAIN_MS)
      await post.close()
    },
  }
}
