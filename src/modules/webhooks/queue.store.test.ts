import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { addEndpoint, addEvents, deliveriesOf, letPass } from '../../../test/support/webhooks.ts'
import { HOUR_MS } from '../../platform/time-units.ts'
import {
  type ClaimedDelivery,
  type ClaimQuery,
  claimDeliveries,
  recordFailures,
  recordRecoveries,
  releaseDeliveries,
  type SettledRow,
  settleDeliveries,
} from './queue.store.ts'

const db = ownDatabase()
const LEASE_MS = 60_000

afterEach(async () => {
  await sql`truncate webhook_endpoints, webhook_deliveries, events`.execute(db)
})

const claim = async (given: Partial<ClaimQuery> = {}) =>
  await claimDeliveries(db, {
    lease_id: randomUUID(),
    lease_ms: LEASE_MS,
    deliveries_max: 100,
    per_endpoint_max: 8,
    per_host_max: 50,
    per_org_max: 100,
    hosts_in_flight: new Map(),
    orgs_in_flight: new Map(),
    sent: [],
    failing_max: 50,
    after: '00000000-0000-0000-0000-000000000000',
    ...given,
  })

const settled = (
  { org_id, endpoint_id, id, lease_id }: ClaimedDelivery,
  given: Partial<SettledRow> = {},
): SettledRow => ({
  org_id,
  endpoint_id,
  id,
  lease_id,
  status: 'succeeded',
  delay_ms: null,
  response_status: 200,
  response_body: 'ok',
  error: null,
  latency_ms: 12,
  ...given,
})

async function addBacklog(count: number, given: Parameters<typeof addEndpoint>[1] = {}) {
  const endpoint = await addEndpoint(db, given)
  const events = await addEvents(db, endpoint.org_id, count)
  return { ...endpoint, events }
}

const perEndpoint = (deliveries: ClaimedDelivery[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { endpoint_id } of deliveries) counts[endpoint_id] = (counts[endpoint_id] ?? 0) + 1
  return counts
}

describe('claiming', () => {
  it('returns what is needed for sending, and counts the attempt', async () => {
    const { id, url, host, events } = await addBacklog(1)
    const { deliveries } = await claim()
    const [event] = events
    expect(deliveries).toEqual([
      expect.objectContaining({
        endpoint_id: id,
        event_id: event?.id,
        event_type: 'email.check.completed',
        attempts: 1,
        url,
        host,
        secret: 'sealed',
        was_failing: false,
      }),
    ])
    expect(JSON.parse(deliveries[0]?.body ?? '')).toMatchObject({ id: event?.id, data: {} })
  })

  it('does not return leased deliveries until their lease expires', async () => {
    const { id } = await addBacklog(3)
    expect((await claim()).deliveries).toHaveLength(3)
    expect((await claim()).deliveries).toHaveLength(0)
    await letPass(db, id, LEASE_MS + 1)
    const again = (await claim()).deliveries
    expect(again.map(({ attempts }) => attempts)).toEqual([2, 2, 2])
  })

  it('returns each delivery to only one of many concurrent claims', async () => {
    for (let n = 0; n < 5; n += 1) await addBacklog(8)
    const claims = await Promise.all(Array.from({ length: 6 }, () => claim({ deliveries_max: 10 })))
    const ids = claims.flatMap(({ deliveries }) => deliveries.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThanOrEqual(10)
  })

  it('takes few deliveries of an endpoint with a backlog, so that others get their turn', async () => {
    const large = await addBacklog(100)
    const small = await addBacklog(2)
    const { deliveries } = await claim({ deliveries_max: 20 })
    expect(perEndpoint(deliveries)).toEqual({ [large.id]: 8, [small.id]: 2 })
    // Leased deliveries count towards the limit.
    expect((await claim()).deliveries).toHaveLength(0)
  })

  it('respects the limit of an endpoint regardless of the physical order of its rows', async () => {
    const { id } = await addBacklog(30)
    expect(await claim({ per_endpoint_max: 4 })).toMatchObject({ deliveries: { length: 4 } })
    // All are due at the same instant; the leased ones are moved behind the others.
    await sql`
      with moved as (delete from webhook_deliveries where lease_id is not null returning *)
      insert into webhook_deliveries select * from moved`.execute(db)
    expect((await claim({ per_endpoint_max: 4 })).deliveries).toEqual([])
    const due = await sql<{ n: number }>`
      select count(distinct due_at)::integer as n from webhook_deliveries
      where endpoint_id = ${id}`.execute(db)
    expect(due.rows).toEqual([{ n: 1 }])
  })

  it('takes the next delivery of an endpoint once one is settled', async () => {
    await addBacklog(10)
    const [first, second] = (await claim()).deliveries
    if (!first || !second) throw new Error('two were claimed')
    await settleDeliveries(db, [
      settled(first),
      settled(second, { status: 'failed', delay_ms: HOUR_MS }),
    ])
    expect((await claim()).deliveries).toHaveLength(2)
  })

  it('does not count deliveries that are sent but not settled', async () => {
    await addBacklog(10)
    const [first, second] = (await claim({ per_endpoint_max: 4 })).deliveries
    if (!first || !second) throw new Error('two were claimed')
    const next = (await claim({ per_endpoint_max: 4, sent: [first.id, second.id] })).deliveries
    expect(next).toHaveLength(2)
    expect(next.map(({ id }) => id)).not.toContain(first.id)
    expect((await claim({ per_endpoint_max: 4, sent: [first.id] })).deliveries).toEqual([])
  })

  it('continues after the endpoint at which the last claim filled up', async () => {
    const ids: string[] = []
    for (let n = 0; n < 6; n += 1) ids.push((await addBacklog(5)).id)
    const seen: Record<string, number> = {}
    let after: string | undefined
    for (let n = 0; n < 6; n += 1) {
      const { deliveries, stopped_at } = await claim({
        deliveries_max: 5,
        ...(after !== undefined && { after }),
      })
      for (const { endpoint_id } of deliveries) seen[endpoint_id] = (seen[endpoint_id] ?? 0) + 1
      after = stopped_at
    }
    expect(seen).toEqual(Object.fromEntries(ids.map((id) => [id, 5])))
    expect((await claim()).stopped_at).toBeUndefined()
  })

  it('takes one delivery at a time of a failing endpoint, and limits all failing ones together', async () => {
    const failing_since = new Date()
    for (let n = 0; n < 4; n += 1) await addBacklog(5, { failing_since })
    const well = await addBacklog(5)
    const { deliveries } = await claim({ failing_max: 3 })
    const counts = perEndpoint(deliveries)
    expect(counts[well.id]).toBe(5)
    expect(Object.values(counts).toSorted((a, b) => a - b)).toEqual([1, 1, 1, 5])
    expect(deliveries.filter(({ was_failing }) => was_failing)).toHaveLength(3)
    await addBacklog(5, { failing_since })
    expect((await claim({ failing_max: 0 })).deliveries).toHaveLength(0)
  })

  it('respects the limit of a host, regardless of how many endpoints it has', async () => {
    const host = 'shared.example:443'
    for (let n = 0; n < 5; n += 1) await addBacklog(4, { host })
    const other = await addBacklog(4)
    const hosts_in_flight = new Map([
      [host, 3],
      ['else.example:443', 50],
    ])
    const { deliveries } = await claim({ per_host_max: 9, hosts_in_flight })
    expect(deliveries.filter((one) => one.host === host)).toHaveLength(6)
    expect(perEndpoint(deliveries)[other.id]).toBe(4)
    const full = new Map([[host, 9]])
    expect((await claim({ per_host_max: 9, hosts_in_flight: full })).deliveries).toHaveLength(0)
  })

  it('gives each endpoint of a host its share, regardless of the backlog of the others', async () => {
    const host = 'shared.example:443'
    const ids: string[] = []
    for (let n = 0; n < 6; n += 1) ids.push((await addBacklog(40, { host })).id)
    const seen: Record<string, number> = {}
    const underWay: ClaimedDelivery[] = []
    for (let n = 0; n < 30; n += 1) {
      const hosts_in_flight = new Map([[host, underWay.length]])
      const { deliveries } = await claim({ per_host_max: 12, hosts_in_flight })
      for (const { endpoint_id } of deliveries) seen[endpoint_id] = (seen[endpoint_id] ?? 0) + 1
      underWay.push(...deliveries)
      const done = underWay.splice(0, 4).map((each) => settled(each))
      await settleDeliveries(db, done)
    }
    // 128 claims for six endpoints. Without an order, two or three of them would get none.
    expect(Math.min(...ids.map((id) => seen[id] ?? 0))).toBeGreaterThanOrEqual(10)
  })

  it('respects the limit of an organization, regardless of how many hosts it has', async () => {
    const { org_id } = await addEndpoint(db)
    for (let n = 0; n < 4; n += 1) await addEndpoint(db, { org_id })
    await addEvents(db, org_id, 4)
    const other = await addBacklog(4)
    const orgs_in_flight = new Map([[org_id, 3]])
    const { deliveries } = await claim({ per_org_max: 9, orgs_in_flight })
    expect(deliveries.filter((one) => one.org_id === org_id)).toHaveLength(6)
    expect(perEndpoint(deliveries)[other.id]).toBe(4)
    const full = new Map([[org_id, 9]])
    expect((await claim({ per_org_max: 9, orgs_in_flight: full })).deliveries).toHaveLength(0)
  })

  it('skips deliveries that are not due or whose endpoint is not active', async () => {
    const later = await addBacklog(2)
    await letPass(db, later.id, -HOUR_MS)
    await addBacklog(2, { status: 'paused', pause_reason: 'requested', paused_at: new Date() })
    const gone = await addBacklog(2)
    await sql`update webhook_endpoints set status = 'deleted' where id = ${gone.id}`.execute(db)
    expect((await claim()).deliveries).toEqual([])
  })

  it('returns a null body when the event has been deleted', async () => {
    await addBacklog(1)
    await sql`delete from events`.execute(db)
    expect((await claim()).deliveries).toMatchObject([{ body: null }])
  })
})

describe('settling', () => {
  it('writes the outcome, and the due time of the next attempt if there is one', async () => {
    const { id } = await addBacklog(2)
    const [first, second] = (await claim()).deliveries
    if (!first || !second) throw new Error('two were claimed')
    const failure = {
      status: 'failed',
      delay_ms: HOUR_MS,
      response_status: null,
      response_body: null,
      error: 'The connection was refused',
    } as const
    expect(await settleDeliveries(db, [settled(first), settled(second, failure)])).toBe(2)
    const rows = new Map((await deliveriesOf(db, id)).map((row) => [row.id, row]))
    expect(rows.get(first.id)).toMatchObject({
      status: 'succeeded',
      attempts: 1,
      due_at: null,
      lease_id: null,
      leased_until: null,
      response_status: 200,
      response_body: 'ok',
      latency_ms: 12,
      attempted_at: expect.any(Date) as Date,
    })
    const retried = rows.get(second.id)
    expect(retried).toMatchObject({ status: 'failed', error: failure.error, lease_id: null })
    const delay = (retried?.due_at?.getTime() ?? 0) - (retried?.attempted_at?.getTime() ?? 0)
    expect(delay).toBe(HOUR_MS)
  })

  it('never overwrites the outcome of a newer claim', async () => {
    const { id } = await addBacklog(1)
    const [slow] = (await claim()).deliveries
    await letPass(db, id, LEASE_MS + 1)
    const [quick] = (await claim()).deliveries
    if (!slow || !quick) throw new Error('it was claimed twice')
    const failure = { status: 'failed', delay_ms: 1, error: 'late' } as const
    expect(await settleDeliveries(db, [settled(slow, failure)])).toBe(0)
    expect(await settleDeliveries(db, [settled(quick)])).toBe(1)
    expect(await settleDeliveries(db, [settled(slow, failure)])).toBe(0)
    await releaseDeliveries(db, [slow])
    expect(await deliveriesOf(db, id)).toMatchObject([
      { status: 'succeeded', error: null, attempts: 2 },
    ])
  })

  it('releases stopped deliveries as if they had not been claimed', async () => {
    const { id } = await addBacklog(1)
    const before = await deliveriesOf(db, id)
    await releaseDeliveries(db, (await claim()).deliveries)
    expect(await deliveriesOf(db, id)).toEqual(before)
    expect((await claim()).deliveries).toHaveLength(1)
  })
})

describe('the health of an endpoint', () => {
  const find = async (id: string) =>
    await db
      .selectFrom('webhook_endpoints')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  const failure = ({ id, url }: { id: string; url: string }, is_gone = false) => ({
    endpoint_id: id,
    url,
    is_gone,
  })

  it('is failing from the first failure until a delivery succeeds', async () => {
    const endpoint = await addEndpoint(db)
    expect(await recordFailures(db, [failure(endpoint)], 5 * HOUR_MS)).toEqual([])
    const since = (await find(endpoint.id)).failing_since
    expect(since).toBeInstanceOf(Date)
    await recordFailures(db, [failure(endpoint)], 5 * HOUR_MS)
    expect((await find(endpoint.id)).failing_since).toEqual(since)
    await recordRecoveries(db, [endpoint.id])
    expect(await find(endpoint.id)).toMatchObject({ failing_since: null, status: 'active' })
  })

  it('leads to a pause when all attempts failed for the configured time', async () => {
    const failing_since = new Date(Date.now() - 6 * HOUR_MS)
    const endpoint = await addEndpoint(db, { failing_since })
    const { id, org_id } = endpoint
    expect(await recordFailures(db, [failure(endpoint)], null)).toEqual([])
    expect(await recordFailures(db, [failure(endpoint)], 7 * HOUR_MS)).toEqual([])
    expect(await recordFailures(db, [failure(endpoint)], 5 * HOUR_MS)).toEqual([
      { id, org_id, pause_reason: 'failing' },
    ])
    expect(await find(id)).toMatchObject({
      status: 'paused',
      pause_reason: 'failing',
      failing_since,
      paused_at: expect.any(Date) as Date,
    })
    expect(await recordFailures(db, [failure(endpoint)], 5 * HOUR_MS)).toEqual([])
  })

  it('leads to an immediate pause when the receiver is gone, unless the URL has changed', async () => {
    const endpoint = await addEndpoint(db)
    const moved = { ...endpoint, url: 'https://old.example/' }
    expect(await recordFailures(db, [failure(moved, true)], null)).toEqual([])
    expect(await recordFailures(db, [failure(endpoint, true)], null)).toMatchObject([
      { id: endpoint.id, pause_reason: 'gone' },
    ])
  })
})

describe('an endpoint with a rate', () => {
  it('gets the deliveries of one second, then waits, and loses none', async () => {
    const { id } = await addBacklog(6, { rate_per_second: 2 })
    const { id: other } = await addBacklog(3)
    const first = await claim()
    expect(countOf(first, id)).toBe(2)
    expect(countOf(first, other)).toBe(3)
    await settleDeliveries(
      db,
      first.deliveries.map((delivery) => settled(delivery)),
    )
    expect((await claim()).deliveries).toEqual([])
    const passed: number[] = []
    for (let second = 0; second < 3; second += 1) {
      await letPace(id, 1000)
      const { deliveries } = await claim()
      passed.push(deliveries.length)
      await settleDeliveries(
        db,
        deliveries.map((delivery) => settled(delivery)),
      )
    }
    expect(passed).toEqual([2, 2, 0])
  })

  it('saves up for one second at most', async () => {
    const { id } = await addBacklog(10, { rate_per_second: 3 })
    expect((await claim()).deliveries).toHaveLength(3)
    await letPace(id, 60_000)
    expect((await claim()).deliveries).toHaveLength(3)
  })

  it('keeps its rate when two nodes claim at the same time', async () => {
    const { id } = await addBacklog(40, { rate_per_second: 4 })
    const claims = await Promise.all([claim(), claim(), claim()])
    const total = claims.reduce((sum, one) => sum + countOf(one, id), 0)
    expect(total).toBeGreaterThanOrEqual(4)
    // Deliveries beyond the rate are paid for afterwards.
    await letPace(id, ((total - 4) / 4) * 1000)
    expect((await claim()).deliveries.length).toBeLessThanOrEqual(1)
  })
})

const countOf = ({ deliveries }: { deliveries: ClaimedDelivery[] }, endpointId: string): number =>
  deliveries.filter(({ endpoint_id }) => endpoint_id === endpointId).length

const letPace = async (endpointId: string, ms: number) =>
  await sql`update webhook_endpoints
    set paced_until = paced_until - ${ms}::float8 * interval '1 millisecond'
    where id = ${endpointId}`.execute(db)
