import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { addEndpoint, addEvents } from '../../../test/support/webhooks.ts'
import { claimDeliveries } from './queue.store.ts'
import { settleAttempts } from './settle-attempts.ts'
import { settlementOf } from './settlement.ts'

const db = ownDatabase()

const claim = async () =>
  await claimDeliveries(db, {
    lease_id: randomUUID(),
    lease_ms: 60_000,
    deliveries_max: 100,
    per_endpoint_max: 4,
    per_host_max: 100,
    per_org_max: 100,
    hosts_in_flight: new Map(),
    orgs_in_flight: new Map(),
    sent: [],
    failing_max: 100,
    after: '00000000-0000-0000-0000-000000000000',
  })

it('records the failure of an endpoint before its delivery can be claimed again', async () => {
  const { org_id } = await addEndpoint(db)
  await addEvents(db, org_id, 12)
  await sql`create function wait() returns trigger language plpgsql as
    $$ begin perform pg_sleep(0.2); return new; end $$`.execute(db)
  await sql`create trigger slow before update on webhook_endpoints
    for each row execute function wait()`.execute(db)
  const { deliveries } = await claim()
  expect(deliveries).toHaveLength(4)
  const attempts = deliveries.map((delivery) => {
    const outcome = { kind: 'failed', reason: 'timeout', latency_ms: 15_000 } as const
    const chance = { random: 0.5, schedule_ms: [60_000], attempts: 1 }
    return { delivery, ...settlementOf({ ...chance, outcome, now: new Date() }) }
  })
  const progress = { is_settled: false }
  const settling = settleAttempts(db, attempts, null).finally(() => {
    progress.is_settled = true
  })
  let claimed = 0
  while (!progress.is_settled) claimed += (await claim()).deliveries.length
  await settling
  claimed += (await claim()).deliveries.length
  expect(claimed).toBe(1)
})
