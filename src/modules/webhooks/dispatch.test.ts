import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { addEndpoint, addEvents, deliveriesOf, letPass } from '../../../test/support/webhooks.ts'
import type { Dispatcher } from '../../platform/dispatch/index.ts'
import { createIds } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import type { GuardedRequest } from '../../platform/net/guarded-post.ts'
import type { Outcome } from '../../platform/net/post-outcome.ts'
import { createWebhookDispatcher, type WebhookDispatchOptions } from './dispatch.ts'
import type { Verdict } from './settlement.ts'

const db = ownDatabase()
const newId = createIds()
const SCHEDULE_MS = [5000, 60_000]
const NOW = new Date('2026-03-01T12:00:00.900Z')

type Post = WebhookDispatchOptions['post']
type Backlog = { id: string; url: string; host: string; events: string[] }

const running: Dispatcher[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((dispatcher) => dispatcher.stop(0)))
  await sql`truncate webhook_endpoints, webhook_deliveries, events`.execute(db)
})

const answered = (status: number, retry_after: string | null = null): Outcome => ({
  kind: 'answered',
  status,
  body_start: `said ${status}`,
  latency_ms: 3,
  retry_after,
})

function start(post: Post, given: Partial<WebhookDispatchOptions> = {}) {
  const verdicts: Verdict[] = []
  const dispatcher = createWebhookDispatcher({
    db,
    // The stored secrets of these endpoints are not sealed.
    sealer: { open: (sealed) => Promise.resolve(Buffer.from(sealed)) },
    newId,
    clock: { now: () => NOW },
    log: createLog('silent'),
    post,
    deadline_ms: 15_000,
    retry_schedule_ms: SCHEDULE_MS,
    pause_after_ms: null,
    in_flight_max: 32,
    per_endpoint_max: 4,
    per_host_max: 16,
    poll_ms: 10,
    observe: (verdict) => verdicts.push(verdict),
    ...given,
  })
  running.push(dispatcher)
  dispatcher.start()
  return { dispatcher, verdicts }
}

async function addBacklog(
  count: number,
  given: Parameters<typeof addEndpoint>[1] = {},
): Promise<Backlog> {
  const { id, url, host, org_id } = await addEndpoint(db, given)
  const events = await addEvents(db, org_id, count)
  return { id, url, host, events: events.map((event) => event.id) }
}

/** Requests that stay open until the test answers them or they are aborted. */
function hanging() {
  const waiting: { url: string; answer: (outcome: Outcome) => void }[] = []
  const post: Post = ({ url, signal }) =>
    new Promise((resolve) => {
      waiting.push({ url, answer: resolve })
      const stopped = { kind: 'failed', reason: 'stopped', latency_ms: 1 } as const
      signal?.addEventListener('abort', () => resolve(stopped))
    })
  return { waiting, post }
}

const until = async (check: () => unknown) => await vi.waitFor(check, { timeout: 10_000 })
const statusesOf = async ({ id }: { id: string }) =>
  (await deliveriesOf(db, id)).map(({ status }) => status)

describe('a delivery', () => {
  it('carries the body of its event and three headers that describe it', async () => {
    const sent: GuardedRequest[] = []
    const { id, url, events } = await addBacklog(1, { secret: 'whsec_of-this-test' })
    const { verdicts } = start((request) => {
      sent.push(request)
      return Promise.resolve(answered(204))
    })
    await until(() => expect(verdicts).toEqual(['delivered']))
    const [event] = await db.selectFrom('events').selectAll().execute()
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({ url, body: event?.body, deadline_ms: 15_000, partition: id })
    expect(sent[0]?.headers).toMatchObject({
      'x-service-event': 'email.check.completed',
      'x-service-delivery': events[0],
      'x-service-signature': expect.stringMatching(/^t=1772366400,v1=[0-9a-f]{64}$/) as string,
    })
    expect(await deliveriesOf(db, id)).toMatchObject([
      { status: 'succeeded', attempts: 1, response_status: 204, response_body: 'said 204' },
    ])
  })

  it('has the headers of its endpoint, which replace none of the signed ones, and both signatures of an overlap', async () => {
    const sent: GuardedRequest[] = []
    const { events } = await addBacklog(1, {
      secret: 'whsec_new',
      previous_secret: 'whsec_old',
      previous_secret_until: new Date(Date.now() + 60_000),
      sealed_headers: JSON.stringify({ 'x-tenant': 'acme', 'x-service-event': 'forged' }),
    })
    const { verdicts } = start((request) => {
      sent.push(request)
      return Promise.resolve(answered(204))
    })
    await until(() => expect(verdicts).toEqual(['delivered']))
    expect(sent[0]?.headers).toMatchObject({
      'x-tenant': 'acme',
      'x-service-event': 'email.check.completed',
      'x-service-signature': expect.stringMatching(/^t=1772366400,v1=[0-9a-f]{64}$/) as string,
      'webhook-id': events[0],
      'webhook-timestamp': '1772366400',
      'webhook-signature': expect.stringMatching(/^v1,\S{44} v1,\S{44}$/) as string,
    })
  })

  it('is signed by the new secret alone once the overlap has ended', async () => {
    const sent: GuardedRequest[] = []
    await addBacklog(1, {
      previous_secret: 'whsec_old',
      previous_secret_until: new Date(Date.now() - 1000),
    })
    const { verdicts } = start((request) => {
      sent.push(request)
      return Promise.resolve(answered(204))
    })
    await until(() => expect(verdicts).toEqual(['delivered']))
    expect(sent[0]?.headers['webhook-signature']).toMatch(/^v1,\S{44}$/)
  })

  it('that fails is retried on schedule, each attempt signed with its own time, then no more', async () => {
    const backlog = await addBacklog(1)
    const { verdicts, dispatcher } = start(() => Promise.resolve(answered(500)))
    for (const [attempt, planned] of SCHEDULE_MS.entries()) {
      await until(() => expect(verdicts).toHaveLength(attempt + 1))
      const [row] = await deliveriesOf(db, backlog.id)
      const delay = (row?.due_at?.getTime() ?? 0) - (row?.attempted_at?.getTime() ?? 0)
      expect(row).toMatchObject({ status: 'failed', attempts: attempt + 1, error: 'Answered 500' })
      expect(delay).toBeGreaterThanOrEqual(planned * 0.8)
      expect(delay).toBeLessThanOrEqual(planned * 1.2)
      await letPass(db, backlog.id, delay)
      dispatcher.hint()
    }
    await until(() => expect(verdicts).toHaveLength(3))
    expect(await deliveriesOf(db, backlog.id)).toMatchObject([
      { status: 'exhausted', attempts: 3, due_at: null },
    ])
  })

  it('that is answered 410 pauses the endpoint and stays queued', async () => {
    const backlog = await addBacklog(20)
    const { verdicts } = start(() => Promise.resolve(answered(410)), { per_endpoint_max: 2 })
    await until(() => expect(verdicts.length).toBeGreaterThanOrEqual(1))
    await until(async () => {
      const [endpoint] = await db.selectFrom('webhook_endpoints').selectAll().execute()
      expect(endpoint).toMatchObject({ status: 'paused', pause_reason: 'gone' })
    })
    const statuses = await statusesOf(backlog)
    expect(statuses.filter((status) => status === 'pending').length).toBeGreaterThan(10)
  })

  it('with an unreadable secret or a deleted event does not affect others', async () => {
    const broken = await addBacklog(1, { secret: 'broken' })
    const gone = await addBacklog(1)
    await sql`delete from events where id = ${gone.events[0]}`.execute(db)
    const well = await addBacklog(1)
    const open = (sealed: string) =>
      sealed === 'broken' ? Promise.reject(new Error('no key')) : Promise.resolve(Buffer.from('s'))
    start(() => Promise.resolve(answered(200)), { sealer: { open } })
    await until(async () => expect(await statusesOf(well)).toEqual(['succeeded']))
    await until(async () => expect(await statusesOf(broken)).toEqual(['failed']))
    await until(async () => expect(await statusesOf(gone)).toEqual(['exhausted']))
  })
})

describe('endpoints that hang', () => {
  it('do not hold up others, and get one attempt at a time once they have failed', async () => {
    const hung = await Promise.all([1, 2, 3].map(async () => await addBacklog(30)))
    const well = await Promise.all([1, 2, 3].map(async () => await addBacklog(30)))
    const { waiting, post } = hanging()
    const isHung = new Set(hung.map(({ url }) => url))
    start((request) => (isHung.has(request.url) ? post(request) : Promise.resolve(answered(200))))
    for (const backlog of well) {
      await until(async () => {
        expect(new Set(await statusesOf(backlog))).toEqual(new Set(['succeeded']))
      })
    }
    const [first] = hung
    const underWay = () => waiting.filter(({ url }) => url === first?.url)
    expect(underWay()).toHaveLength(4)
    for (const { answer } of underWay()) {
      answer({ kind: 'failed', reason: 'timeout', latency_ms: 15_000 })
    }
    await until(() => expect(underWay()).toHaveLength(5))
    await until(async () => {
      const rows = await deliveriesOf(db, first?.id ?? '')
      expect(rows.filter(({ lease_id }) => lease_id !== null)).toHaveLength(1)
    })
  })

  it('never take more than half of the capacity together', async () => {
    const failing_since = new Date()
    for (let n = 0; n < 10; n += 1) await addBacklog(2, { failing_since })
    const { waiting, post } = hanging()
    start(post, { in_flight_max: 8 })
    await until(() => expect(waiting).toHaveLength(4))
    const well = [await addBacklog(5), await addBacklog(5)]
    for (const { url } of well) {
      await until(() => expect(waiting.filter((one) => one.url === url)).toHaveLength(2))
    }
    expect(waiting).toHaveLength(8)
  })

  it('of one organization take no more than a quarter of the capacity', async () => {
    const { org_id } = await addEndpoint(db)
    for (let n = 0; n < 9; n += 1) await addEndpoint(db, { org_id })
    await addEvents(db, org_id, 4)
    const { waiting, post } = hanging()
    start(post, { in_flight_max: 16 })
    await until(() => expect(waiting).toHaveLength(4))
    const well = await addBacklog(4)
    await until(() => expect(waiting.filter(({ url }) => url === well.url)).toHaveLength(4))
    expect(waiting).toHaveLength(8)
  })
})

describe('stopping', () => {
  it('releases unfinished deliveries after the drain time for the next process', async () => {
    const backlog = await addBacklog(3)
    const { waiting, post } = hanging()
    const { dispatcher } = start(post)
    await until(() => expect(waiting).toHaveLength(3))
    waiting[0]?.answer(answered(200))
    await dispatcher.stop(0)
    const rows = await deliveriesOf(db, backlog.id)
    expect(rows.map(({ status }) => status).toSorted()).toEqual(['pending', 'pending', 'succeeded'])
    expect(rows.map(({ lease_id }) => lease_id)).toEqual([null, null, null])
    const { verdicts } = start(() => Promise.resolve(answered(200)))
    await until(() => expect(verdicts).toEqual(['delivered', 'delivered']))
  })

  it('waits for attempts that finish within the drain time', async () => {
    const backlog = await addBacklog(1)
    const { waiting, post } = hanging()
    const { dispatcher } = start(post)
    await until(() => expect(waiting).toHaveLength(1))
    const stopped = dispatcher.stop(60_000)
    waiting[0]?.answer(answered(200))
    await stopped
    expect(await statusesOf(backlog)).toEqual(['succeeded'])
  })
})

describe('a process that is killed', () => {
  it('loses nothing: another process sends its deliveries once their leases expire', async () => {
    const backlog = await addBacklog(2)
    // Leased by a process that no longer exists.
    await sql`update webhook_deliveries set attempts = 1, lease_id = ${randomUUID()}::uuid,
      leased_until = now() + interval '1 hour'`.execute(db)
    const { verdicts, dispatcher } = start(() => Promise.resolve(answered(200)))
    const other = await addBacklog(1)
    await until(async () => expect(await statusesOf(other)).toEqual(['succeeded']))
    expect(await statusesOf(backlog)).toEqual(['pending', 'pending'])
    await letPass(db, backlog.id, 3_600_001)
    dispatcher.hint()
    await until(() => expect(verdicts).toHaveLength(3))
    expect(await deliveriesOf(db, backlog.id)).toMatchObject([
      { status: 'succeeded', attempts: 2 },
      { status: 'succeeded', attempts: 2 },
    ])
  })
})
