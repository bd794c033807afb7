/**
 * Endpoints, and every delivery of the month: really sent to the receiver of the demonstration, at
 * the end and quickly, and put where it belongs in the month afterwards (`backdate.ts`).
 */
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { ReceiverScenario } from '../../emulators/receiver.ts'
import { createWebhookDispatcher } from '../../src/modules/webhooks/index.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { readAllowList } from '../../src/platform/net/allow-list.ts'
import { createGuardedPost } from '../../src/platform/net/guarded-post.ts'
import {
  BEFORE,
  DOWN_DAYS,
  ENDPOINTS,
  HICCUP,
  NOW,
  type StoryEndpoint,
} from '../story/receivers.ts'
import { DAY_MS } from '../story/wall-clock.ts'
import { backdateDeliveries, backdateFailing } from './backdate.ts'
import type { DemoService, Filling, People } from './context.ts'

export type Endpoints = ReadonlyMap<StoryEndpoint['key'], string>

const POLL_MS = 20
const PATIENCE_MS = 60_000
const DRAIN_MS = 1000
/** What refuses once takes it the second time; what is down is left after the second. */
const RETRIES_MS = [60, 3_600_000]
/** Of the deliveries to the slow one, every so many-th is refused at first. */
const HICCUP_EVERY = 9
const IN_FLIGHT_MAX = 96

export async function openEndpoints(
  { services, outside }: Pick<DemoService, 'services' | 'outside'>,
  { org_id }: Pick<People, 'org_id'>,
): Promise<Endpoints> {
  const opened = new Map<StoryEndpoint['key'], string>()
  for (const { key, host, path, description, events } of ENDPOINTS) {
    const url = `https://${host}:${outside.receiver.port}${path}`
    const { id } = await services.webhooks.create({ org_id, url, description, events: [...events] })
    opened.set(key, id)
  }
  return opened
}

/** After a restart: the receiver may have another port, and is as it was left. */
export async function readdress(
  { services, outside }: Pick<DemoService, 'services' | 'outside'>,
  { org_id }: Pick<People, 'org_id'>,
): Promise<void> {
  outside.receiver.setScenario(NOW)
  for (const { id, url } of await services.webhooks.list(org_id)) {
    const target = new URL(url)
    const isOurs = ENDPOINTS.some(({ host }) => host === target.hostname)
    if (!isOurs || target.port === String(outside.receiver.port)) continue
    target.port = String(outside.receiver.port)
    await services.webhooks.update(id, { org_id, url: target.href })
  }
}

/** @returns how many deliveries there are */
export async function deliverAll(filling: Filling, endpoints: Endpoints): Promise<number> {
  const { stores, outside, people, story } = filling
  const { db } = stores
  const downSince = new Date(story.span.end - DOWN_DAYS * DAY_MS)
  const hold = sql`update webhook_deliveries set due_at = now() + interval '1 day'
    where org_id = ${people.org_id} and due_at is not null`
  await hold.execute(db)
  const down = endpoints.get('down') ?? ''
  const slow = endpoints.get('slow') ?? ''
  const isLate = sql`d.endpoint_id = ${down} and e.occurred_at >= ${downSince}`
  const isRefused = sql`d.endpoint_id = ${slow} and abs(hashtext(d.event_id::text)) % ${HICCUP_EVERY} = 0`
  const release = async (condition: ReturnType<typeof sql>, scenario: ReceiverScenario) => {
    outside.receiver.setScenario(scenario)
    await sql`update webhook_deliveries d set due_at = now() from events e
      where d.org_id = ${people.org_id} and d.due_at is not null and d.attempts = 0
        and e.org_id = d.org_id and e.id = d.event_id and (${condition})`.execute(db)
    await drained(filling)
  }
  const dispatcher = createSender(filling)
  dispatcher.start()
  try {
    await release(sql`not (${isLate}) and not (${isRefused})`, BEFORE)
    await release(isRefused, HICCUP)
    await release(isLate, NOW)
  } finally {
    await dispatcher.stop(DRAIN_MS)
  }
  const count = await backdateDeliveries(db, people.org_id)
  await backdateFailing(db, {
    endpoint_id: down,
    schedule: filling.config.webhook_retry_schedule,
    since: downSince,
    end: new Date(story.span.end),
  })
  outside.receiver.setScenario(NOW)
  return count
}

/** As that of the service, but for its patience. */
function createSender({ stores, config, outside }: Filling) {
  const { db, sealer, newId, log } = stores
  const post = createGuardedPost({
    allow: readAllowList(config.webhook_allow),
    dns_servers: config.dns_servers,
    resolve_timeout_ms: config.lookup_timeout_ms,
    connect_timeout_ms: config.webhook_deadline_ms,
    ca: outside.authority.cert,
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
    in_flight_max: IN_FLIGHT_MAX * ENDPOINTS.length,
    per_endpoint_max: IN_FLIGHT_MAX,
    per_host_max: IN_FLIGHT_MAX,
    poll_ms: POLL_MS,
  })
  return {
    start: dispatcher.start,
    stop: async (drainMs: number) => {
      await dispatcher.stop(drainMs)
      await post.close()
    },
  }
}

async function drained({ stores, people }: Filling): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const { rows } = await sql<{ left: number }>`
      select count(*) as left from webhook_deliveries
      where org_id = ${people.org_id} and due_at <= now() + interval '10 minutes'`.execute(
      stores.db,
    )
    if (rows[0]?.left === 0) return
    if (performance.now() > deadline) throw new Error('webhooks were not delivered in time')
    await pause(POLL_MS)
  }
}
