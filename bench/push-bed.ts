/**
 * What runs while push is measured: PostgreSQL, the service, the emulator of FCM, an application with many
 * subscriptions, and another one with a few.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Client } from 'pg'
import { createAuthority } from '../emulators/certificate.ts'
import { createServices, type Services } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import type { Stores } from '../src/stores.ts'
import type { Cleanup } from './cleanup.ts'
import { openBenchStores } from './core.ts'
import type { BenchOptions } from './options.ts'
import { type Provider, startProvider } from './push-provider.ts'
import type { PushSenderJob, PushSenderResult } from './push-sender.ts'
import { type BenchPostgres, type Service, startPostgres, startService } from './service.ts'
import { startWorker, type Worker } from './worker.ts'

export type PushBed = {
  postgres: BenchPostgres
  service: Service
  stores: Stores
  provider: Provider
  sender: Worker<PushSenderJob, PushSenderResult>
  /** Everybody is sent to at once. */
  crowd: BenchApplication
  /** Only one at a time is sent to. */
  few: BenchApplication
  /** What the service allows itself: connections to FCM, and notifications of one application at a time. */
  connections: number
  in_flight: number
  tell: (step: string) => void
}

export type BenchApplication = {
  id: string
  /** Of the phones, each of which is one subscription. */
  tokens: string[]
  /** In the same order. */
  subscription_ids: string[]
}

const RECIPIENTS = 100_000
const RECIPIENTS_QUICK = 20_000
const FEW = 100
/** Of the places of a process. */
const SHARE_OF_APPLICATION = 0.75
const PACKAGE_NAME = 'com.example.app'
const CONNECTIONS_MAX = 60
const INSERTED_TOGETHER = 10_000
const WAIT_MAX_MS = 180_000

export async function preparePush(
  options: BenchOptions,
  cleanup: Cleanup,
  tell: (step: string) => void,
): Promise<PushBed> {
  tell('starting PostgreSQL, the service and the provider')
  const postgres = await startPostgres(cleanup, CONNECTIONS_MAX, tell)
  const authority = createAuthority()
  const ca_file = join(postgres.data_dir, 'bench-ca.pem')
  writeFileSync(ca_file, authority.cert)
  const provider = await startProvider(authority)
  cleanup.add(provider.stop)
  const service = await startService(cleanup, {
    data_dir: postgres.data_dir,
    settings: {
      VIGIL_FCM_URL: provider.address.url,
      VIGIL_FCM_TOKEN_URL: provider.address.token_url,
      VIGIL_RATE_LIMIT_PUSH: '900000000/10',
      NODE_EXTRA_CA_CERTS: ca_file,
      VIGIL_DNS_SERVERS: '127.0.0.1:1',
      VIGIL_RDAP_ENABLED: 'false',
    },
    profile_folder: options.profile_folder,
  })
  const stores = await openBenchStores(postgres.data_dir)
  cleanup.add(stores.close)
  const config = readConfig({})
  const { push } = await createServices(stores, config)
  const recipients = options.is_quick ? RECIPIENTS_QUICK : RECIPIENTS
  tell(`adding ${recipients} subscriptions`)
  const surroundings = { stores, push, provider, org_id: service.org_id }
  const crowd = await addApplication(surroundings, recipients)
  const few = await addApplication(surroundings, FEW)
  await tidy(postgres)
  const sender: PushBed['sender'] = startWorker('push-sender')
  cleanup.add(sender.stop)
  await sender.run({
    step: 'prepare',
    ...provider.address,
    ca: authority.cert,
    package_name: PACKAGE_NAME,
    tokens: crowd.tokens,
  })
  return {
    postgres,
    service,
    stores,
    provider,
    sender,
    crowd,
    few,
    connections: config.push_connections_max,
    in_flight: Math.ceil(config.push_in_flight_max * SHARE_OF_APPLICATION),
    tell,
  }
}

type Surroundings = {
  stores: Stores
  push: Services['push']
  provider: Provider
  org_id: string
}

/** With a credential, and a subscription for each of so many new phones. */
async function addApplication(
  { stores, push, provider, org_id }: Surroundings,
  count: number,
): Promise<BenchApplication> {
  const application = { org_id, type: 'flutter' as const, environment: 'live' as const }
  const { id } = await push.applications.create({ ...application, name: 'Bench' })
  const ofApplication = { org_id, application_id: id }
  await push.configurations.set({ ...ofApplication, android_package_name: PACKAGE_NAME })
  const { account } = provider.address
  await push.credentials.set({ ...ofApplication, provider: 'fcm', service_account: account })
  const tokens = await provider.makePhones({ count, package_name: PACKAGE_NAME })
  const subscription_ids: string[] = []
  for (let from = 0; from < count; from += INSERTED_TOGETHER) {
    const some = tokens.slice(from, from + INSERTED_TOGETHER)
    // In the order in which apps register: ids that grow.
    const { rows } = await sql<{ id: string }>`
      insert into push_subscriptions (application_id, id, org_id, provider, token, token_hash,
        token_registered_at, permission, created_at, updated_at)
      select ${id}, uuidv7(), ${org_id}, 'fcm', token,
        left(encode(sha256(token::bytea), 'hex'), 32)::uuid, now(), 'granted', now(), now()
      from unnest(${some}::text[]) with ordinality as given (token, n) order by n
      returning id`.execute(stores.db)
    subscription_ids.push(...rows.map((row) => row.id))
  }
  return { id, tokens, subscription_ids }
}

/** What would otherwise happen in the middle of a measurement. */
async function tidy({ address }: BenchPostgres): Promise<void> {
  const client = new Client(address)
  await client.connect()
  try {
    await client.query('vacuum (analyze) push_subscriptions')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

/** @returns the id of the message, and when it was asked for, in milliseconds since 1970 */
export async function post(
  { service }: PushBed,
  body: object,
): Promise<{ message_id: string; at_ms: number }> {
  const at_ms = now()
  const answer = await fetch(`http://127.0.0.1:${service.port}/v1/push-sdk/messages`, {
    method: 'POST',
    headers: {
      'x-api-key': service.key,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify(body),
  })
  const { content } = (await answer.json()) as { content?: { message_id: string } }
  if (!content) throw new Error(`a message was answered with ${answer.status}`)
  return { message_id: content.message_id, at_ms }
}

export type Progress = {
  is_expanded: boolean
  recipients: number
  accepted: number
  failed: number
  is_complete: boolean
}

export async function readProgress({ stores }: PushBed, messageId: string): Promise<Progress> {
  const { rows } = await sql<Progress>`
    select expand_at is null as is_expanded, recipients, accepted, failed,
      completed_at is not null as is_complete
    from push_messages where id = ${messageId}`.execute(stores.db)
  if (!rows[0]) throw new Error('the message is gone')
  return rows[0]
}

/** The clock of the whole machine, finer than `Date.now()`. */
export const now = (): number => performance.timeOrigin + performance.now()

/** @throws Error when it takes too long */
export async function until(
  what: string,
  everyMs: number,
  isSo: () => Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + WAIT_MAX_MS
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`)
    await sleep(everyMs)
  }
}
