/**
 * Throughput of webhook deliveries, from committed events to responses of the receivers, against the same
 * requests sent from memory over as many connections to as many hosts.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createAuthority, issueCertificate } from '../emulators/certificate.ts'
import { checkSignature } from '../emulators/receiver-signature.ts'
import { openCore } from '../src/app/index.ts'
import type { Stores } from '../src/app/stores.ts'
import { createWebhooksPart } from '../src/app/webhooks.ts'
import { readConfig } from '../src/config.ts'
import { emitEvents, type OutboxEvent } from '../src/modules/events/index.ts'
import { signedHeaders } from '../src/modules/webhooks/signature.ts'
import { uuidArray } from '../src/platform/postgres/arrays.ts'
import {
  addOrganizations,
  addWorker,
  type Context,
  openBenchStores,
  startBed,
  startService,
  waitUntil,
  writeAuthority,
} from './bed.ts'
import { type Findings, fine, megabytes, ratioAim } from './report.ts'
import { combine, compare, measure, type Row, type Run, repeat, WARM_SECONDS } from './rounds.ts'
import { request, type Service } from './service.ts'
import { latencyOf, median } from './statistics.ts'
import type { Arrivals, WebhookReceiverJob, WebhookReceiverResult } from './webhook-receiver.ts'
import type { WebhookSenderJob, WebhookTarget } from './webhook-sender.ts'

/** The only endpoint of its organization, so that every event is one delivery. */
type Endpoint = { org_id: string; id: string; url: string; secret: string }

type WebhooksBed = Awaited<ReturnType<typeof prepare>>

const SUBJECT = 'deliveries'
const LIMIT = 'undici from memory'
/** Few endpoints have the connections that the service allows itself for each, many have one. */
const SHAPES = [
  { count: 16, connections_each: 8 },
  { count: 200, connections_each: 1 },
]
const ENDPOINTS = 200
const EVENT = 'email.check.completed'
/** Needs no look-up. */
const CHECK = { email: 'somebody@mailinator.com', event_type: 'signup' }
/** The least number of events that are committed together, and the number that is kept waiting. */
const BATCH_MIN = 64
const BACKLOG = 2048
const REQUESTS_EACH = 100
const SIGNATURE_TOLERANCE_SECONDS = 300
const POLL_MS = 5
const AIM_RATIO = 0.4
/** Events of a quiet shop, for which latency counts: from the commit to the receipt. */
const QUIET_PER_SECOND = [5, 20]
const QUIET_ENDPOINTS = 16
const QUIET_SECONDS_MIN = 10
const AIM_P99_MS = 100

export async function benchWebhooks(context: Context): Promise<Findings> {
  const { options } = context
  const webhooks = await prepare(context)
  const ready = await webhooks.service.metrics()
  const rows: Row[] = []
  const notes = [`memory of the service when started: ${megabytes(ready)} MB`]
  for (const shape of options.main_path_only ? SHAPES.slice(0, 1) : SHAPES) {
    const { measured, opened } = await measureShape(webhooks, shape)
    rows.push(...measured)
    notes.push(`connections opened for 1000 deliveries to ${shape.count} endpoints: ${opened}`)
  }
  const aims = rows.flatMap((row) => ratioAim(row, AIM_RATIO))
  const unit = 'deliveries over HTTPS'
  if (options.main_path_only) return { unit, rows, notes, aims }
  await webhooks.addQuietEndpoints()
  for (const per_second of QUIET_PER_SECOND) {
    const row = await measureQuiet(webhooks, per_second)
    rows.push(row)
    const p99_ms = row.p99_ms ?? Number.NaN
    aims.push({
      is_met: p99_ms <= AIM_P99_MS,
      text: `p99 from commit to receipt, ${row.subject}: ${fine(p99_ms)} ms, aim ${AIM_P99_MS} or less`,
    })
  }
  return { unit, rows, notes, aims }
}

async function prepare(context: Context) {
  const { cleanup, onProgress } = context
  const bed = await startBed(context)
  const authority = createAuthority()
  const ca = authority.cert
  const receiver = addWorker<WebhookReceiverJob, WebhookReceiverResult>(bed, 'webhook-receiver')
  const identity = issueCertificate(authority, ['127.0.0.1'])
  const { ports } = await receiver.run({ step: 'listen', identity, ports: ENDPOINTS })
  const service = await startService(bed, {
    settings: {
      VIGIL_WEBHOOK_ALLOW: '127.0.0.1',
      NODE_EXTRA_CA_CERTS: writeAuthority(bed, ca),
      VIGIL_DNS_SERVERS: '127.0.0.1:1',
      VIGIL_RDAP_ENABLED: 'false',
    },
  })
  const stores = await openBenchStores(bed.data_dir)
  cleanup.add(stores.close)
  const sender = addWorker<WebhookSenderJob, Run>(bed, 'webhook-sender')
  onProgress('adding endpoints')
  const config = readConfig({ VIGIL_WEBHOOK_ALLOW: '127.0.0.1' })
  const { webhooks } = createWebhooksPart(await openCore(stores, config))
  const org_ids = await addOrganizations(stores, ENDPOINTS)
  const endpoints: Endpoint[] = []
  for (const [index, org_id] of org_ids.entries()) {
    const url = `https://127.0.0.1:${ports[index]}/webhook`
    const { id, secret } = await webhooks.create(org_id, { url, events: [EVENT] })
    endpoints.push({ org_id, id, url, secret })
  }
  const data = await readExample(service, stores)
  const addQuietEndpoints = async () => {
    for (const port of ports.slice(0, QUIET_ENDPOINTS)) {
      const url = `https://127.0.0.1:${port}/webhook`
      await webhooks.create(service.org_id, { url, events: [EVENT] })
    }
  }
  return { bed, service, stores, receiver, sender, ca, endpoints, data, addQuietEndpoints }
}

/** @returns `data` of the event of a check that needs no look-up */
async function readExample(service: Service, stores: Stores): Promise<unknown> {
  const { check_id } = await request<{ check_id: string }>(service, '/v1/check', CHECK)
  const { rows } = await sql<{ data: unknown }>`
    select body::json -> 'data' as data from events
    where body::json -> 'data' ->> 'check_id' = ${check_id}`.execute(stores.db)
  if (!rows[0]) throw new Error('the check has no event')
  return rows[0].data
}

async function measureShape(
  webhooks: WebhooksBed,
  { count, connections_each }: (typeof SHAPES)[number],
): Promise<{ measured: Row[]; opened: string }> {
  const { bed, service, receiver, sender, ca } = webhooks
  const endpoints = webhooks.endpoints.slice(0, count)
  const window = { warm_seconds: WARM_SECONDS, seconds: bed.options.seconds }
  const targets = endpoints.map((endpoint) => signRequests(webhooks, endpoint))
  const opened: number[] = []
  const measureOne = async (name: string) => {
    await receiver.run({ step: 'begin', ...window })
    const parties = { receiver: receiver.pid }
    if (name === LIMIT) {
      return await measure(bed, {
        parties: { ...parties, load: sender.pid },
        run: async () => {
          await sender.run({ step: 'send', ...window })
          const { deliveries, per_second } = await readArrivals(webhooks, endpoints)
          return { units: deliveries.length, per_second }
        },
      })
    }
    return await measure(bed, {
      // This process commits the events.
      parties: { ...parties, load: process.pid, service: service.pid, postgres: bed.postgres },
      service,
      run: async () => {
        const ids = await feed(webhooks, endpoints)
        const { deliveries, connections, per_second } = await readArrivals(webhooks, endpoints, ids)
        opened.push((1000 * connections) / deliveries.length)
        return { units: deliveries.length, per_second }
      },
    })
  }
  bed.onProgress(`warming up with ${count} endpoints`)
  await sender.run({ step: 'connect', ca, targets, connections_each })
  await measureOne(SUBJECT)
  opened.length = 0
  const scenario = `${count} endpoints, ${count * connections_each} connections from memory`
  const comparison = { scenario, subjects: [SUBJECT], limit: LIMIT }
  const measured = await compare(bed, comparison, measureOne)
  return { measured, opened: median(opened).toFixed(0) }
}

/** Each check of the service's own organization is one event for all of its endpoints. */
async function measureQuiet(webhooks: WebhooksBed, per_second: number): Promise<Row> {
  const { bed, service, stores, receiver } = webhooks
  const seconds = Math.max(QUIET_SECONDS_MIN, bed.options.seconds)
  const subject = `${per_second} events per second`
  const samples = await repeat(bed, subject, async () => {
    await receiver.run({ step: 'begin', warm_seconds: 0, seconds })
    return await measure(bed, {
      parties: { receiver: receiver.pid, service: service.pid, postgres: bed.postgres },
      service,
      run: async () => {
        const checks = new Map<string, number>()
        const pending: Promise<unknown>[] = []
        for (let sent = 0; sent < seconds * per_second; sent += 1) {
          await sleep((-Math.log(1 - Math.random()) * 1000) / per_second)
          const checking = request<{ check_id: string }>(service, '/v1/check', CHECK)
          pending.push(checking.then(({ check_id }) => checks.set(check_id, absoluteNow())))
        }
        await Promise.all(pending)
        const expected = checks.size * QUIET_ENDPOINTS
        await waitUntil('all events have arrived', POLL_MS, async () => {
          return (await receiver.run({ step: 'count' })).arrived >= expected
        })
        const { record } = await receiver.run({ step: 'end' })
        const checkOf = await checksOfEvents(stores, record?.deliveries ?? [])
        const latencies = (record?.deliveries ?? []).map((id, place) => {
          const committed = checks.get(checkOf.get(id) ?? '') ?? Number.NaN
          return (record?.arrived_ms[place] ?? Number.NaN) - committed
        })
        return { units: expected, per_second: expected / seconds, ...latencyOf(latencies) }
      },
    })
  })
  return { scenario: `${QUIET_ENDPOINTS} endpoints, low load`, subject, ...combine(samples) }
}

const absoluteNow = () => performance.timeOrigin + performance.now()

async function checksOfEvents(stores: Stores, events: string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; check_id: string }>`
    select id, body::json -> 'data' ->> 'check_id' as check_id from events
    where id = any (${uuidArray(events)}::uuid[])`.execute(stores.db)
  return new Map(rows.map(({ id, check_id }) => [id, check_id]))
}

function signRequests(webhooks: WebhooksBed, endpoint: Endpoint): WebhookTarget {
  const { origin, pathname } = new URL(endpoint.url)
  const requests = newEvents(webhooks, Array<Endpoint>(REQUESTS_EACH).fill(endpoint)).map(
    ({ id, type, occurred_at, data }) => {
      const body = JSON.stringify({ id, type, timestamp: occurred_at.toISOString(), data })
      const { secret } = endpoint
      const signed = { secret, body, event_id: id, event_type: type, now: occurred_at }
      return { headers: signedHeaders(signed), body }
    },
  )
  return { origin, path: pathname, requests }
}

const newEvents = ({ stores, data }: WebhooksBed, endpoints: readonly Endpoint[]): OutboxEvent[] =>
  endpoints.map(({ org_id }) => {
    const occurred_at = stores.clock.now()
    return { id: stores.newId(occurred_at), org_id, mode: 'live', type: EVENT, data, occurred_at }
  })

/** Commits events so that some are always waiting, until all are delivered. @returns their ids */
async function feed(webhooks: WebhooksBed, endpoints: Endpoint[]): Promise<string[]> {
  const { bed, stores, receiver } = webhooks
  const arrived = async () => (await receiver.run({ step: 'count' })).arrived
  const repeats = Math.ceil(BATCH_MIN / endpoints.length)
  const batch = Array.from({ length: repeats }, () => endpoints).flat()
  const ids: string[] = []
  const endAt = performance.now() + (WARM_SECONDS + bed.options.seconds) * 1000
  while (performance.now() < endAt) {
    if (ids.length - (await arrived()) >= BACKLOG) {
      await sleep(2)
      continue
    }
    const events = newEvents(webhooks, batch)
    await emitEvents(stores.db, events)
    ids.push(...events.map(({ id }) => id))
  }
  await waitUntil('all events have arrived', POLL_MS, async () => (await arrived()) >= ids.length)
  await waitUntil('all deliveries are recorded', POLL_MS, async () => {
    const { rows } = await sql`
      select from webhook_deliveries
      where endpoint_id = any (${uuidArray(endpoints.map(({ id }) => id))}::uuid[])
        and (due_at is not null or status <> 'succeeded') limit 1`.execute(stores.db)
    return rows.length === 0
  })
  return ids
}

/**
 * @param ids of all events; from memory, requests repeat
 * @throws Error when a signature is not valid, or unless every event arrived, once
 */
async function readArrivals(
  { receiver }: WebhooksBed,
  endpoints: Endpoint[],
  ids: string[] = [],
): Promise<Arrivals> {
  const { record } = await receiver.run({ step: 'end' })
  if (!record) throw new Error('the receiver has no record')
  const { deliveries, first } = record
  const signature = checkSignature({
    header: /\r\nx-service-signature: (\S+)/i.exec(first.head)?.[1],
    body: Buffer.from(first.body, 'latin1'),
    secrets: endpoints.map(({ secret }) => secret),
    tolerance_s: SIGNATURE_TOLERANCE_SECONDS,
    now: new Date(),
  })
  if (signature !== 'valid') throw new Error(`a signature is ${signature}`)
  const arrived = new Set(deliveries)
  const missing = ids.filter((id) => !arrived.has(id)).length
  if (missing > 0 || (ids.length > 0 && deliveries.length !== ids.length)) {
    throw new Error(`${missing} of ${ids.length} events missing in ${deliveries.length} deliveries`)
  }
  return record
}
