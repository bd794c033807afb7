/**
 * Whether a long past makes the queue slow: the same deliveries queued, claimed and completed in two
 * databases of one server in turn, one of them with a past. Nobody else works in either.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { Client } from 'pg'
import { emitEvents, type OutboxEvent } from '../src/modules/events/index.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  settleDeliveries,
} from '../src/modules/webhooks/queue/store.ts'
import { createLog } from '../src/platform/log.ts'
import { uuidArray } from '../src/platform/postgres/arrays.ts'
import { type Database, openDatabase } from '../src/platform/postgres/db.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { shippedMigrations } from '../src/stores.ts'
import type { Cleanup } from './cleanup.ts'
import type { BenchOptions } from './options.ts'
import { type HistoryTurn, STEPS } from './webhook-history-report.ts'
import type { WebhooksBed } from './webhooks-bed.ts'

type Place = { db: Database; endpoints: Endpoint[]; past: number }
type Endpoint = { org_id: string; id: string }

const ENDPOINTS = 200
const DELIVERIES = 256
const PER_ENDPOINT_MAX = 8
const LEASE_MS = 600_000
const FILLED_TOGETHER = 100_000
const PAST_DAYS = 30
const WARM_TURNS = 10
const TURNS_PER_ROUND = 40
const FIRST_ENDPOINT = '00000000-0000-0000-0000-000000000000'

export async function measureHistory(
  bed: WebhooksBed,
  { history, rounds }: BenchOptions,
  cleanup: Cleanup,
): Promise<HistoryTurn[]> {
  const places = [await openPlace(bed, cleanup, 0), await openPlace(bed, cleanup, history)]
  bed.tell(`claiming beside ${history} finished deliveries`)
  const turns: HistoryTurn[] = []
  for (let turn = -WARM_TURNS; turn < rounds * TURNS_PER_ROUND; turn += 1) {
    for (const place of turn % 2 === 0 ? places : places.toReversed()) {
      const ms = await measureTurn(bed, place)
      if (turn >= 0) turns.push({ turn, past: place.past, ms })
    }
  }
  return turns
}

async function openPlace(bed: WebhooksBed, cleanup: Cleanup, past: number): Promise<Place> {
  const database = past === 0 ? 'bench_without_past' : 'bench_with_past'
  await sql`create database ${sql.id(database)}`.execute(bed.stores.db)
  const server = { ...bed.postgres.address, database }
  const log = createLog('warn')
  const db = openDatabase({ server, pool_size: 2, prepared_statements: true, log })
  cleanup.add(() => db.destroy())
  await migrate(db, shippedMigrations('postgres'))
  const endpoints = Array.from({ length: ENDPOINTS }, () => ({
    org_id: randomUUID(),
    id: randomUUID(),
  }))
  await addEndpoints(db, endpoints)
  for (let done = 0; done < past; done += FILLED_TOGETHER) {
    if (done % (10 * FILLED_TOGETHER) === 0) bed.tell(`  ${done} of ${past} finished deliveries`)
    await addPast(db, endpoints, { done, past, count: Math.min(FILLED_TOGETHER, past - done) })
  }
  await tidy(server)
  return { db, endpoints, past }
}

async function addEndpoints(db: Database, endpoints: Endpoint[]): Promise<void> {
  await sql`
    insert into webhook_endpoints (org_id, id, mode, url, host, events, description, status, secret,
      secret_prefix, created_at, updated_at)
    select org_id, id, 'live', 'https://' || id || '.example/', id || '.example:443',
      ${['email.check.completed']}::text[], '', 'active', 'sealed', 'whsec_abcd', now(), now()
    from unnest(
      ${uuidArray(endpoints.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(endpoints.map(({ id }) => id))}::uuid[]) as e (org_id, id)`.execute(db)
}

/** One after another over the last days, one in fifty never delivered. */
async function addPast(
  db: Database,
  endpoints: Endpoint[],
  { done, past, count }: { done: number; past: number; count: number },
): Promise<void> {
  const ids = uuidArray(endpoints.map(({ id }) => id))
  const orgs = uuidArray(endpoints.map(({ org_id }) => org_id))
  await sql`
    insert into webhook_deliveries (org_id, endpoint_id, id, event_id, event_type, status, attempts,
      attempted_at, response_status, response_body, latency_ms, created_at)
    select (${orgs}::uuid[])[1 + n % ${ENDPOINTS}::integer],
      (${ids}::uuid[])[1 + n % ${ENDPOINTS}::integer],
      (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(noise, 1, 3)
        || '8' || substr(noise, 4, 15))::uuid,
      noise::uuid, 'email.check.completed',
      case when n % 50 = 0 then 'exhausted' else 'succeeded' end,
      case when n % 50 = 0 then 10 else 1 end,
      at, case when n % 50 = 0 then 503 else 200 end, 'ok', 20, at
    from generate_series(${done + 1}::integer, ${done + count}::integer) as n
    cross join lateral (select md5(n::text) as noise,
      now() - (${past}::integer - n) * ${(PAST_DAYS * 86_400) / past}::float8 * interval '1 second' as at
    ) as drawn`.execute(db)
}

/** What would otherwise happen in the middle of a measurement. It may take longer than a request may. */
async function tidy(server: WebhooksBed['postgres']['address']): Promise<void> {
  const client = new Client(server)
  await client.connect()
  try {
    await client.query('vacuum (analyze) webhook_deliveries')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

async function measureTurn(bed: WebhooksBed, { db, endpoints }: Place): Promise<HistoryTurn['ms']> {
  const [queue, claim, complete] = STEPS
  const events = Array.from({ length: DELIVERIES }, (_, index): OutboxEvent => {
    const occurred_at = bed.stores.clock.now()
    const org_id = endpoints[index % endpoints.length]?.org_id ?? ''
    const id = bed.stores.newId(occurred_at)
    return { id, org_id, mode: 'live', type: 'email.check.completed', data: {}, occurred_at }
  })
  const [, queued] = await timed(() => emitEvents(db, events))
  const [{ deliveries }, claimed] = await timed(() =>
    claimDeliveries(db, {
      lease_id: randomUUID(),
      lease_ms: LEASE_MS,
      deliveries_max: DELIVERIES,
      per_endpoint_max: PER_ENDPOINT_MAX,
      per_host_max: DELIVERIES,
      per_org_max: DELIVERIES,
      hosts_in_flight: new Map(),
      orgs_in_flight: new Map(),
      failing_max: DELIVERIES,
      after: FIRST_ENDPOINT,
    }),
  )
  const [settled, completed] = await timed(() => settleDeliveries(db, deliveries.map(succeeded)))
  if (settled !== DELIVERIES) throw new Error(`${settled} of ${DELIVERIES} deliveries completed`)
  return { [queue]: queued, [claim]: claimed, [complete]: completed }
}

const succeeded = ({ endpoint_id, id, lease_id }: ClaimedDelivery) => ({
  endpoint_id,
  id,
  lease_id,
  status: 'succeeded' as const,
  delay_ms: null,
  response_status: 200,
  response_body: 'ok',
  error: null,
  latency_ms: 20,
})

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const begun = performance.now()
  const result = await work()
  return [result, performance.now() - begun]
}
