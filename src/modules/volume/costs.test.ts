import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { useHarness } from '../../../test/harness.ts'
import { settableClock } from '../../../test/support/orders.ts'
import { toUnits } from '../billing/index.ts'
import type { LedgerPage } from '../billing/schema.ts'
import type { PricedCosts } from './schema.ts'

const NOW = new Date('2026-03-21T00:00:00Z')
const clock = settableClock(NOW)
/** Its own database, because posting takes the usage of all organizations. */
const harness = useHarness({
  db: ownDatabase(),
  clock,
  settings: { VIGIL_CREDIT_PRICE_BUSINESS: '25000', VIGIL_BILLING_CURRENCY: 'CHF' },
})

const MARCH = { from: '2026-03-01', to: '2026-03-31', time_zone: 'Europe/Berlin' }

async function shop(plan: 'starter' | 'business' = 'business') {
  const { org_id, keys } = await harness().createTenant(plan)
  const token = await harness().signIn(org_id, 'admin')
  const get = async <Content>(path: string, query: Record<string, string>) =>
    await harness().call<Content & { field: string }>({
      method: 'GET',
      path: `${path}?${new URLSearchParams({ org_id, ...query }).toString()}`,
      token,
    })
  const use = async (slot_at: string, credits: number, meter = 'order') => {
    const row = { org_id, mode: 'live' as const, slot_at: new Date(slot_at), meter }
    const used = { quantity: Math.ceil(credits), cost_units: toUnits(credits) }
    await harness()
      .stores.db.insertInto('usage_slots')
      .values({ ...row, ...used })
      .execute()
  }
  return { org_id, keys, get, use }
}

describe('GET /console/api/costs', () => {
  it('adds up the days of the time zone, by part, in money', async () => {
    const { get, use } = await shop()
    // Midnight in Berlin is 23:00 UTC in winter.
    await use('2026-02-28T22:00:00Z', 1000)
    await use('2026-02-28T23:00:00Z', 10)
    await use('2026-03-01T22:00:00Z', 5.5)
    await use('2026-03-01T23:00:00Z', 20)
    await use('2026-03-10T12:00:00Z', 0.25, 'edge_log')
    const { status, body } = await get<PricedCosts>('/console/api/costs', MARCH)
    expect(status).toBe(200)
    const { days, meters, total_credits, price } = body.content
    expect(days).toHaveLength(31)
    expect(days[0]).toBe('2026-03-01')
    expect(total_credits).toBe(35.75)
    expect(meters).toMatchObject([
      { meter: 'order', total_credits: 35.5, total_quantity: 36 },
      { meter: 'edge_log', total_credits: 0.25 },
    ])
    expect(meters[0]?.credits.slice(0, 3)).toEqual([15.5, 20, 0])
    expect(price).toEqual({ currency: 'CHF', per_1000_credits: 25_000 })
  })

  it('forecasts a period that has not ended from the last seven days', async () => {
    const { get, use } = await shop()
    await use('2026-03-02T12:00:00Z', 100)
    await use('2026-03-15T12:00:00Z', 70)
    const utc = { ...MARCH, time_zone: 'UTC' }
    // Ten credits a day for eleven more days.
    expect((await get<PricedCosts>('/console/api/costs', utc)).body.content).toMatchObject({
      total_credits: 170,
      forecast_credits: 280,
    })
    const past = { from: '2026-03-01', to: '2026-03-20', time_zone: 'UTC' }
    expect((await get<PricedCosts>('/console/api/costs', past)).body.content).toMatchObject({
      total_credits: 170,
      forecast_credits: null,
    })
  })

  it('covers up to a year, and has no price for a plan without one', async () => {
    const { get, use } = await shop('starter')
    await use('2025-03-22T00:00:00Z', 1)
    await use('2026-03-20T23:00:00Z', 2)
    const year = { from: '2025-03-21', to: '2026-03-21', time_zone: 'UTC' }
    expect((await get<PricedCosts>('/console/api/costs', year)).body.content).toMatchObject({
      total_credits: 3,
      price: null,
    })
  })

  it.each([
    ['time_zone', { ...MARCH, time_zone: 'Mars' }],
    ['from', { ...MARCH, from: '2026-02-30' }],
    ['from', { ...MARCH, from: '2024-01-01' }],
    ['to', { ...MARCH, to: '2026-02-01' }],
  ])('names %s when it is at fault', async (field, query) => {
    const { get } = await shop()
    const answer = await get('/console/api/costs', query)
    expect(answer).toMatchObject({ status: 400, body: { content: { field } } })
  })
})

describe('the ledger', () => {
  it('says what each debit is for, also as CSV', async () => {
    const { org_id, keys, get } = await shop()
    const { billing } = harness().services
    await billing.grantCredits(org_id, 100, 'Order 7, "paid"', 'first')
    for (const email of ['a@b.example', 'c@d.example']) {
      await harness().post('/v1/check', { email }, { key: keys.live_secret })
    }
    const order = { external_order_id: 'x', amount_cents: 100 }
    await harness().post('/v1/orders', order, { key: keys.live_secret })
    await billing.postUsage(NOW)
    const { body } = await get<LedgerPage>('/console/api/ledger', {})
    expect(body.content.entries).toMatchObject([
      {
        credits: -3,
        usage: [
          { meter: 'check', quantity: 2, credits: 2 },
          { meter: 'order', quantity: 1, credits: 1 },
        ],
      },
      { credits: 100, usage: [] },
    ])
    const { csv } = (await get<{ csv: string }>('/console/api/ledger/export', MARCH)).body.content
    const lines = csv.trimEnd().split('\r\n')
    expect(lines[0]).toBe(
      'transfer_id,time,reason,part,quantity,credits,amount,currency,balance_credits',
    )
    expect(lines.slice(1).map((line) => line.replace(/^[\w-]{36},/, ''))).toEqual([
      '2026-03-21T00:00:00.000Z,"Order 7, ""paid""",,,100,25,CHF,100',
      '2026-03-21T00:00:00.000Z,usage,check,2,-2,-0.5,CHF,97',
      '2026-03-21T00:00:00.000Z,usage,order,1,-1,-0.25,CHF,97',
    ])
    const before = { ...MARCH, to: '2026-03-19' }
    const empty = await get<{ csv: string }>('/console/api/ledger/export', before)
    expect(empty.body.content.csv.split('\r\n')).toHaveLength(2)
  })
})

describe('the costs of keys', () => {
  it('are those of the requests of each key, and add up to the total', async () => {
    const { org_id, keys, get } = await shop()
    const { billing, volumes } = harness().services
    const other = await harness().services.keys.create(org_id, 'live_secret', undefined, {
      name: 'Till',
    })
    const check = async (key: string) =>
      await harness().post('/v1/check', { email: 'a@b.example' }, { key })
    const order = async (id: string, key: string) =>
      await harness().post('/v1/orders', { external_order_id: id, amount_cents: 100 }, { key })
    await Promise.all([
      check(keys.live_secret),
      check(keys.live_secret),
      check(other?.key ?? ''),
      order('one', other?.key ?? ''),
      order('two', other?.key ?? ''),
      order('three', keys.test_secret),
      harness().post(
        '/v1/edge/logs',
        {
          logs: [{ device_id: 'till', level: 'info', message: 'open' }],
        },
        { key: other?.key ?? '' },
      ),
    ])
    await harness()
      .stores.db.insertInto('usage_events')
      .values({
        org_id,
        id: harness().stores.newId(NOW),
        mode: 'live',
        meter: 'check',
        quantity: 1,
        cost_units: toUnits(1),
        source_id: org_id,
        occurred_at: NOW,
        transfer_id: null,
      })
      .execute()
    clock.advance(1000)
    const expected = [
      {
        key_id: other?.key_id,
        name: 'Till',
        total_credits: 3.001,
        meters: [
          { meter: 'check', total_quantity: 1, total_credits: 1 },
          { meter: 'edge_log', total_quantity: 1, total_credits: 0.001 },
          { meter: 'order', total_quantity: 2, total_credits: 2 },
        ],
      },
      { name: '', total_credits: 2, meters: [{ meter: 'check', total_quantity: 2 }] },
      { key_id: null, total_credits: 1, meters: [{ meter: 'check', total_quantity: 1 }] },
    ]
    const costs = async () => (await get<PricedCosts>('/console/api/costs', MARCH)).body.content
    const before = await costs()
    expect(before.total_credits).toBe(6.001)
    expect(before.keys).toMatchObject(expected)
    expect(before.keys[0]?.credits[20]).toBe(3.001)
    await volumes.fold(new Date(NOW.getTime() + 3_600_000))
    expect((await costs()).keys).toEqual(before.keys)
    const { csv } = (await get<{ csv: string }>('/console/api/costs/export', MARCH)).body.content
    const lines = csv.trimEnd().split('\r\n')
    expect(lines[0]).toBe('day,part,key,key_name,quantity,credits,amount,currency')
    expect(lines).toContainEqual(expect.stringMatching(/^2026-03-21,order,.+,Till,2,2,0.5,CHF$/))
    expect(lines).toContain('2026-03-21,check,,,1,1,0.25,CHF')
    expect(lines).toHaveLength(6)
    await billing.postUsage(NOW)
    expect(await billing.balance(org_id)).toMatchObject({
      ledger_difference: 0,
      usage_difference: 0,
    })
  })
})
