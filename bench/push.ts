/**
 * Throughput of a broadcast, from the request to the last acceptance of the provider, against the same requests
 * sent from memory by a bare HTTP/2 client.
 */
import { sql } from 'kysely'
import { createAuthority } from '../emulators/certificate.ts'
import type { ServiceAccount } from '../emulators/google-oauth.ts'
import { openCore } from '../src/app/index.ts'
import { createPushPart } from '../src/app/push.ts'
import type { Stores } from '../src/app/stores.ts'
import { readConfig } from '../src/config.ts'
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
import type { ProviderCount, PushProviderJob, PushProviderResult } from './push-provider.ts'
import { CONTENT, type PushSenderJob } from './push-sender.ts'
import { type Findings, megabytes, ratioAim } from './report.ts'
import { compare, measure, type Run } from './rounds.ts'
import { request, type Service } from './service.ts'
import type { Worker } from './worker.ts'

type Provider = Worker<PushProviderJob, PushProviderResult>
type Broadcast = {
  bed: Bed
  service: Service
  stores: Stores
  provider: Provider
  application_id: string
  recipients: number
}

const SUBJECT = 'broadcast'
const LIMIT = 'bare http2'
const RECIPIENTS = 100_000
const RECIPIENTS_QUICK = 20_000
const PACKAGE_NAME = 'com.example.app'
const INSERTED_TOGETHER = 10_000
const POLL_MS = 50
const AIM_RATIO = 0.8

export async function benchPush(context: Context): Promise<Findings> {
  const { options, cleanup, onProgress } = context
  const bed = await startBed(context)
  const authority = createAuthority()
  const provider: Provider = addWorker(bed, 'push-provider')
  const { address } = await provider.run({ step: 'start', authority })
  if (!address) throw new Error('the provider did not start')
  const service = await startService(bed, {
    settings: {
      VIGIL_FCM_URL: address.url,
      VIGIL_FCM_TOKEN_URL: address.token_url,
      VIGIL_RATE_LIMIT_PUSH: '900000000/10',
      NODE_EXTRA_CA_CERTS: writeAuthority(bed, authority.cert),
      VIGIL_DNS_SERVERS: '127.0.0.1:1',
      VIGIL_RDAP_ENABLED: 'false',
    },
  })
  const stores = await openBenchStores(bed.data_dir)
  cleanup.add(stores.close)
  const recipients = options.is_quick ? RECIPIENTS_QUICK : RECIPIENTS
  onProgress(`adding ${recipients} subscriptions`)
  const devices = { step: 'add_devices', count: recipients, package_name: PACKAGE_NAME } as const
  const { tokens = [] } = await provider.run(devices)
  const { org_id } = service
  const { account } = address
  const application_id = await addApplication(stores, { org_id, account, tokens })
  // Otherwise both would happen in the middle of a run.
  await sql`vacuum (analyze) push_subscriptions`.execute(stores.db)
  await sql`checkpoint`.execute(stores.db)
  const sender = addWorker<PushSenderJob, Run>(bed, 'push-sender')
  const ca = authority.cert
  await sender.run({ step: 'prepare', ...address, ca, package_name: PACKAGE_NAME, tokens })
  const ready = await service.metrics()

  const connections = readConfig({}).push_connections_max
  const broadcast = { bed, service, stores, provider, application_id, recipients }
  const rows = await compare(
    bed,
    { scenario: `${recipients} recipients`, subjects: [SUBJECT], limit: LIMIT },
    async (name) => {
      await provider.run({ step: 'begin' })
      const parties = { load: sender.pid, receiver: provider.pid }
      if (name === LIMIT) {
        const run = async () => await sender.run({ step: 'send', connections })
        const sample = await measure(bed, { parties, run })
        await readCount(broadcast)
        return sample
      }
      return await measure(bed, {
        parties: { service: service.pid, postgres: bed.postgres, receiver: provider.pid },
        service,
        run: async () => await send(broadcast),
      })
    },
  )
  return {
    unit: `notifications over ${connections} connections`,
    rows,
    notes: [`memory of the service when started: ${megabytes(ready)} MB`],
    aims: rows.flatMap((row) => ratioAim(row, AIM_RATIO)),
  }
}

/** @returns the id of an application with a credential and a subscription for every token */
async function addApplication(
  stores: Stores,
  { org_id, account, tokens }: { org_id: string; account: ServiceAccount; tokens: string[] },
): Promise<string> {
  const push = createPushPart(await openCore(stores, readConfig({})))
  const application = { org_id, type: 'flutter', environment: 'live', name: 'Bench' } as const
  const { id } = await push.applications.create(application)
  const ofApplication = { org_id, application_id: id }
  await push.configurations.set({ ...ofApplication, android_package_name: PACKAGE_NAME })
  await push.credentials.set({ ...ofApplication, provider: 'fcm', service_account: account })
  for (let from = 0; from < tokens.length; from += INSERTED_TOGETHER) {
    const batch = tokens.slice(from, from + INSERTED_TOGETHER)
    // Ids grow in the order of registration, as those of real subscriptions do.
    await sql`
      insert into push_subscriptions (application_id, id, org_id, provider, token, token_hash,
        token_registered_at, permission, created_at, updated_at)
      select ${id}, uuidv7(), ${org_id}, 'fcm', token,
        left(encode(sha256(token::bytea), 'hex'), 32)::uuid, now(), 'granted', now(), now()
      from unnest(${batch}::text[]) with ordinality as added (token, n) order by n`.execute(
      stores.db,
    )
  }
  return id
}

async function send(broadcast: Broadcast): Promise<Run> {
  const { service, stores, application_id, recipients } = broadcast
  const begun = Date.now()
  const { message_id } = await request<{ message_id: string }>(service, '/v1/push-sdk/messages', {
    ...CONTENT,
    application_id,
    all: true,
  })
  let accepted = 0
  await waitUntil('the broadcast is complete', POLL_MS, async () => {
    const { rows } = await sql<{ accepted: number; is_complete: boolean }>`
      select accepted, completed_at is not null as is_complete
      from push_messages where id = ${message_id}`.execute(stores.db)
    accepted = rows[0]?.accepted ?? 0
    return rows[0]?.is_complete ?? false
  })
  const { last_at_ms } = await readCount(broadcast)
  if (accepted !== recipients) throw new Error(`${accepted} of ${recipients} are recorded`)
  return { units: recipients, per_second: (recipients * 1000) / (last_at_ms - begun) }
}

/** @throws Error when a notification is missing or arrived twice */
async function readCount({ provider, recipients }: Broadcast): Promise<ProviderCount> {
  const { count } = await provider.run({ step: 'end' })
  if (count?.accepted === recipients && count.repeated === 0) return count
  throw new Error(`the provider counted ${JSON.stringify(count)} of ${recipients} notifications`)
}
