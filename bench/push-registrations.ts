/** Throughput and latency of apps that register for push, against single-row commits on the same server. */
import { sql } from 'kysely'
import { createKeys } from '../src/modules/keys/index.ts'
import { type Context, openBenchStores, startBed, startService } from './bed.ts'
import { APPLICATION_ID } from './registration-requests.ts'
import { type Aim, type Findings, fine, megabytes } from './report.ts'
import { compare, type Row } from './rounds.ts'
import { createServiceLoad } from './service-load.ts'

const SUBJECT = 'registrations'
const LIMIT = 'INSERT'
const FIRST_WARM = { clients: 32, seconds: 3 }
const AIMED_CLIENTS = 32
/** A launch of 60,000 apps in a minute. */
const AIM_PER_SECOND = 1000
const UNLIMITED = '900000000/10'

/** @throws Error when a registration is refused, or creates no subscription */
export async function benchPushRegistrations(context: Context): Promise<Findings> {
  const { options, cleanup, onProgress } = context
  const bed = await startBed(context)
  const service = await startService(bed, {
    settings: {
      VIGIL_RATE_LIMIT_PUSH_SDK: UNLIMITED,
      VIGIL_RATE_LIMIT_PUSH_SDK_NETWORK: UNLIMITED,
      VIGIL_PUSH_REGISTRATIONS_PER_DAY: '1000000000',
      VIGIL_DNS_SERVERS: '127.0.0.1:1',
      VIGIL_RDAP_ENABLED: 'false',
    },
  })
  const stores = await openBenchStores(bed.data_dir)
  cleanup.add(stores.close)
  const { org_id } = service
  await sql`
    insert into applications (org_id, id, type, environment, name, created_at, updated_at)
    values (${org_id}, ${APPLICATION_ID}, 'flutter', 'live', 'Shop', now(), now())`.execute(
    stores.db,
  )
  const created = await createKeys(stores).create(org_id, 'live_public')
  const keys = [created?.key ?? '']
  const load = createServiceLoad(bed, { service, kind: 'registrations', keys })
  onProgress('warming up')
  const warmed = await load.send(FIRST_WARM)
  const stored = await sql<{ count: number }>`
    select count(*) as count from push_subscriptions where secret_hash is not null`.execute(
    stores.db,
  )
  if (stored.rows[0]?.count !== warmed.units) throw new Error('some registrations are missing')
  const ready = await service.metrics()

  const rows: Row[] = []
  for (const clients of options.clients) {
    const comparison = { scenario: `${clients} clients`, subjects: [SUBJECT], limit: LIMIT }
    const measured = await compare(bed, comparison, async (name) =>
      name === LIMIT
        ? await load.measureInserts({ clients, table: 'rows' })
        : await load.measureHttp({ clients }),
    )
    rows.push(...measured)
  }
  return {
    unit: 'new subscriptions of one application, each with its own request',
    rows,
    notes: [`memory of the service when warmed up: ${megabytes(ready)} MB`],
    aims: rows
      .filter(
        ({ subject, scenario }) => subject === SUBJECT && scenario === `${AIMED_CLIENTS} clients`,
      )
      .map(rateAim),
  }
}

const rateAim = ({ scenario, per_second }: Row): Aim => ({
  is_met: per_second >= AIM_PER_SECOND,
  text: `${SUBJECT}, ${scenario}: ${fine(per_second)} per second, aim ${AIM_PER_SECOND} or more`,
})
