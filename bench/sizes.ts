/**
 * Processor time, memory and disk for each unit of work, for the sizing guide: checks with two webhook
 * deliveries, orders, log entries and push recipients are not compared with a limit, but counted and weighed.
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { createAuthority, issueCertificate } from '../emulators/certificate.ts'
import { openCore } from '../src/app/index.ts'
import { createWebhooksPart } from '../src/app/webhooks.ts'
import { readConfig } from '../src/config.ts'
import {
  listTableBytes,
  readDatabaseBytes,
  readWalPosition,
} from '../src/platform/postgres/figures.ts'
import {
  addWorker,
  type Bed,
  type Context,
  openBenchStores,
  startBed,
  startService,
  waitUntil,
  writeAuthority,
} from './bed.ts'
import { BATCH_ENTRIES, createLogBatches } from './log-requests.ts'
import { createOrders } from './order-requests.ts'
import { readProcessorTime, residentMegabytes } from './processes.ts'
import type { Findings } from './report.ts'
import { request, type Service } from './service.ts'
import type { WebhookReceiverJob, WebhookReceiverResult } from './webhook-receiver.ts'

type Stores = Awaited<ReturnType<typeof openBenchStores>>
type Work = {
  name: string
  units: number
  run: (number: number) => Promise<void>
  requests: number
}

const CLIENTS = 16
const REQUESTS = 20_000
const LOG_BATCHES = 200
const ENDPOINTS = 2
const EVENT = 'email.check.completed'
const KILOBYTE = 1000
const MICROSECONDS = 1_000_000
const POLL_MS = 200
/** Tables with more than this many bytes for each unit are listed. */
const LISTED_BYTES = 20

export async function benchSizes(context: Context): Promise<Findings> {
  const bed = await startBed(context)
  const receiver = await startReceiver(bed)
  const service = await startService(bed, {
    settings: {
      ...receiver.settings,
      VIGIL_DNS_SERVERS: '127.0.0.1:1',
      VIGIL_RDAP_ENABLED: 'false',
      VIGIL_BILLING_INTERVAL_SECONDS: '5',
      VIGIL_PROCESSES: '1',
    },
  })
  const stores = await openBenchStores(bed.data_dir)
  context.cleanup.add(stores.close)
  const notes = [
    `memory of the service when started: ${residentMegabytes(service.pid).toFixed(0)} MB`,
  ]
  const scale = context.options.is_quick ? 0.1 : 1
  for (const work of worksOf(service, scale)) {
    context.onProgress(`measuring ${work.name}`)
    notes.push(...(await weigh({ bed, service, stores }, work)))
  }
  context.onProgress('measuring deliveries')
  await receiver.addEndpoints(service, stores)
  notes.push(...(await weigh({ bed, service, stores }, checksOf(service, scale, 'delivered'))))
  notes.push(`memory of the service at the end: ${residentMegabytes(service.pid).toFixed(0)} MB`)
  return { unit: 'bytes and microseconds for each unit of work', rows: [], notes, aims: [] }
}

function worksOf(service: Service, scale: number): Work[] {
  const requests = REQUESTS * scale
  const now = new Date(performance.timeOrigin)
  const orderOf = createOrders(now, 1)
  const batchOf = createLogBatches(now)
  const post = async (path: string, body: object) => {
    await request(service, path, body)
  }
  return [
    checksOf(service, scale, 'size'),
    {
      name: 'orders',
      units: requests,
      requests,
      run: async (number) => await post('/v1/orders', orderOf(number).order),
    },
    {
      name: 'log entries',
      units: LOG_BATCHES * BATCH_ENTRIES * scale,
      requests: LOG_BATCHES * scale,
      run: async (number) => {
        const { path, body } = batchOf(number)
        await post(path, JSON.parse(body) as object)
      },
    },
  ]
}

/** @param kind part of their ids, so that checks of both kinds are new */
const checksOf = (service: Service, scale: number, kind: 'size' | 'delivered'): Work => ({
  name: kind === 'size' ? 'checks' : `checks with ${ENDPOINTS} deliveries`,
  units: REQUESTS * scale,
  requests: REQUESTS * scale,
  run: async (number) => {
    const email = `${kind}${number}@mailinator.com`
    await request(service, '/v1/check', { event_id: `${kind}-${number}`, email })
  },
})

/** Endpoints are added later, because other work is measured without deliveries. */
async function startReceiver(bed: Bed) {
  const authority = createAuthority()
  const receiver = addWorker<WebhookReceiverJob, WebhookReceiverResult>(bed, 'webhook-receiver')
  const identity = issueCertificate(authority, ['127.0.0.1'])
  const { ports } = await receiver.run({ step: 'listen', identity, ports: ENDPOINTS })
  const settings = { VIGIL_WEBHOOK_ALLOW: '127.0.0.1' }
  return {
    settings: { ...settings, NODE_EXTRA_CA_CERTS: writeAuthority(bed, authority.cert) },
    addEndpoints: async ({ org_id }: Service, stores: Stores) => {
      const { webhooks } = createWebhooksPart(await openCore(stores, readConfig(settings)))
      for (const port of ports) {
        await webhooks.create(org_id, { url: `https://127.0.0.1:${port}/webhook`, events: [EVENT] })
      }
    },
  }
}

type Subject = { bed: Bed; service: Service; stores: Stores }

async function weigh({ bed, service, stores }: Subject, work: Work): Promise<string[]> {
  const { db } = stores
  const before = await read(bed, service, db)
  let next = 0
  const client = async () => {
    for (let number = next; number < work.requests; number = next) {
      next += 1
      await work.run(number)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  await waitUntil('everything was debited and flushed', POLL_MS, () => isQuiet(db))
  const after = await read(bed, service, db)
  const each = (later: number, earlier: number) => (later - earlier) / work.units
  const cpu = (pid: number) =>
    each(after.cpu.get(pid) ?? Number.NaN, before.cpu.get(pid) ?? Number.NaN) * MICROSECONDS
  const tables = [...after.tables]
    .map(([name, bytes]) => ({ name, bytes: each(bytes, before.tables.get(name) ?? 0) }))
    .filter(({ bytes }) => bytes > LISTED_BYTES)
    .toSorted((a, b) => b.bytes - a.bytes)
  return [
    `${work.name} (${work.units}): ${each(after.database, before.database).toFixed(0)} bytes in PostgreSQL, ${each(after.wal, before.wal).toFixed(0)} bytes of write-ahead log, ${each(after.logs, before.logs).toFixed(0)} bytes in ClickHouse`,
    `  processor time: service ${cpu(service.pid).toFixed(0)} µs, PostgreSQL ${cpu(bed.postgres).toFixed(0)} µs`,
    ...tables.map(({ name, bytes }) => `  ${name}: ${(bytes / KILOBYTE).toFixed(2)} KB`),
  ]
}

async function read(bed: Bed, service: Service, db: Stores['db']) {
  return {
    cpu: readProcessorTime(bed.postgres, [service.pid]).processes,
    database: await readDatabaseBytes(db),
    wal: await readWalPosition(db),
    tables: new Map((await listTableBytes(db)).map(({ name, bytes }) => [name, bytes])),
    logs: folderBytes(join(bed.data_dir, 'clickhouse', 'store')),
  }
}

/** Files that the engine deletes in the meantime count as empty. */
function folderBytes(folder: string): number {
  if (!existsSync(folder)) return 0
  const sizes = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const facts = statSync(join(folder, name), { throwIfNoEntry: false })
    return facts?.isFile() === true ? facts.size : 0
  })
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

async function isQuiet(db: Stores['db']): Promise<boolean> {
  const { rows } = await sql<{ waiting: number }>`
    select (select count(*) from usage_events where transfer_id is null and cost_units > 0)
      + (select count(*) from analytics_spool)
      + (select count(*) from webhook_deliveries where status = 'pending') as waiting`.execute(db)
  return rows[0]?.waiting === 0
}
