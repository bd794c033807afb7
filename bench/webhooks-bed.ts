/**
 * What runs while webhooks are measured: PostgreSQL, the service, the sink, endpoints of many
 * organisations, and this process as the one that commits events.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createAuthority, issueCertificate } from '../emulators/certificate.ts'
import { createServices } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { emitEvents, type OutboxEvent } from '../src/modules/events/index.ts'
import { textArray, uuidArray } from '../src/platform/postgres/arrays.ts'
import type { Stores } from '../src/stores.ts'
import type { Cleanup } from './cleanup.ts'
import { addOrganization, openBenchStores } from './core.ts'
import type { LoadResult } from './loop.ts'
import type { BenchOptions } from './options.ts'
import { type BenchPostgres, type Service, startPostgres, startService } from './service.ts'
import type { SenderJob } from './webhook-sender.ts'
import { type Sink, startSink } from './webhook-sink.ts'
import { startWorker, type Worker } from './worker.ts'

/** An endpoint, the only one of its organisation. */
export type Target = { org_id: string; id: string; url: string; secret: string }

export type WebhooksBed = {
  postgres: BenchPostgres
  service: Service
  stores: Stores
  sink: Sink
  sender: Worker<SenderJob, LoadResult>
  ca: string
  /** Of the organisation whose key the service has told. */
  own: Target
  healthy: Target[]
  /** Their requests are not answered. */
  hanging: Target[]
  /** `data` of an event as the service writes it. */
  example: unknown
  tell: (step: string) => void
}

const CONNECTIONS_MAX = 60
const HEALTHY = 200
const HANGING = 20
const EVENT = 'email.check.completed'
const EXAMPLE_EMAIL = 'somebody@mailinator.com'
const WAIT_MAX_MS = 60_000

export async function prepareWebhooks(
  options: BenchOptions,
  cleanup: Cleanup,
  tell: (step: string) => void,
): Promise<WebhooksBed> {
  tell('starting PostgreSQL, the service and its surroundings')
  // When which event was committed is asked of PostgreSQL.
  const settings = ['track_commit_timestamp=on']
  const postgres = await startPostgres(cleanup, CONNECTIONS_MAX, tell, settings)
  const authority = createAuthority()
  const ca_file = join(postgres.data_dir, 'bench-ca.pem')
  writeFileSync(ca_file, authority.cert)
  const identity = issueCertificate(authority, ['127.0.0.1'])
  const { sink, ports } = await startSink(identity, 1 + HEALTHY + HANGING)
  cleanup.add(sink.stop)
  const service = await startService(cleanup, {
    data_dir: postgres.data_dir,
    settings: {
      VIGIL_WEBHOOK_ALLOW: '127.0.0.1',
      VIGIL_WEBHOOK_DEADLINE_MS: String(deadlineMs(options)),
      NODE_EXTRA_CA_CERTS: ca_file,
      VIGIL_DNS_SERVERS: '127.0.0.1:1',
      VIGIL_RDAP_ENABLED: 'false',
    },
    profile_folder: options.profile_folder,
  })
  const stores = await openBenchStores(postgres.data_dir)
  cleanup.add(stores.close)
  const sender = startWorker<SenderJob, LoadResult>('webhook-sender')
  cleanup.add(sender.stop)
  tell('adding endpoints')
  const addTarget = await createTargets(stores)
  const [ownPort = 0, ...otherPorts] = ports
  const own = await addTarget(service.org_id, ownPort, 'own')
  const healthy: Target[] = []
  const hanging: Target[] = []
  for (const [index, port] of otherPorts.entries()) {
    const { org_id } = await addOrganization(stores)
    if (index < HEALTHY) healthy.push(await addTarget(org_id, port, 'well'))
    else hanging.push(await addTarget(org_id, port, 'hang'))
  }
  const surroundings = { postgres, service, stores, sink, sender, own, healthy, hanging }
  const example = await exampleData(surroundings)
  return { ...surroundings, ca: authority.cert, example, tell }
}

/** As long as a run: then the hanging ones are seen before and after it is known that they fail. */
export const deadlineMs = ({ seconds }: BenchOptions): number => Math.max(2000, seconds * 1000)

async function createTargets(stores: Stores) {
  const config = readConfig({ VIGIL_WEBHOOK_ALLOW: '127.0.0.1' })
  const { webhooks } = await createServices(stores, config)
  return async (org_id: string, port: number, path: string): Promise<Target> => {
    const url = `https://127.0.0.1:${port}/${path}`
    const { id, secret } = await webhooks.create({ org_id, url, events: [EVENT] })
    return { org_id, id, url, secret }
  }
}

async function exampleData(bed: Pick<WebhooksBed, 'service' | 'stores' | 'sink'>) {
  await bed.sink.begin({ warm_seconds: 0, seconds: 1 })
  const checkId = await askForCheck(bed.service)
  await until('the first event has arrived', async () => (await bed.sink.arrived()) > 0)
  const { rows } = await sql<{ data: { check_id?: string } }>`
    select body::json -> 'data' as data from events`.execute(bed.stores.db)
  const found = rows.find(({ data }) => data.check_id === checkId)
  if (!found) throw new Error('the check has no event')
  return found.data
}

/** One that needs no look-up. @returns its id */
export async function askForCheck({ port, key }: Service): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/check`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ email: EXAMPLE_EMAIL, event_type: 'signup' }),
  })
  const { content } = (await answer.json()) as { content?: { check_id: string } }
  if (!content) throw new Error(`a check was answered with ${answer.status}`)
  return content.check_id
}

/** One for each of the organisations that are named, as the service would write it. */
export function newEvents(
  { stores, example }: Pick<WebhooksBed, 'stores' | 'example'>,
  targets: readonly Target[],
): OutboxEvent[] {
  const now = stores.clock.now()
  return targets.map(({ org_id }) => ({
    id: stores.newId(now),
    org_id,
    mode: 'live',
    type: EVENT,
    data: example,
    occurred_at: now,
  }))
}

/** In one transaction. @returns ids */
export async function commitEvents(
  bed: WebhooksBed,
  targets: readonly Target[],
): Promise<string[]> {
  const events = newEvents(bed, targets)
  await emitEvents(bed.stores.db, events)
  return events.map(({ id }) => id)
}

/** @returns by event id, milliseconds since 1970 */
export async function commitTimes(
  { stores }: WebhooksBed,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; at_ms: number }>`
    select id, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as at_ms
    from events where id = any (${uuidArray([...ids])}::uuid[])`.execute(stores.db)
  return new Map(rows.map(({ id, at_ms }) => [id, at_ms]))
}

/** Resolves when nothing is left to be done for these endpoints, nor being written about them. */
export async function untilDelivered(
  { stores: { db } }: WebhooksBed,
  targets: readonly Target[],
): Promise<void> {
  const ids = uuidArray(targets.map(({ id }) => id))
  await until('all deliveries are finished', async () => {
    const { rows } = await sql`
      select from webhook_deliveries
      where endpoint_id = any (${ids}::uuid[]) and due_at is not null limit 1`.execute(db)
    return rows.length === 0
  })
  const { rows } = await sql<{ count: number }>`
    select count(*) from webhook_deliveries
    where endpoint_id = any (${ids}::uuid[]) and status <> all (${textArray(['succeeded'])}::text[])`.execute(
    db,
  )
  if (rows[0]?.count !== 0) throw new Error('a delivery to the sink failed')
}

/** @throws Error when it takes too long */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_MAX_MS
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`)
    await sleep(5)
  }
}
