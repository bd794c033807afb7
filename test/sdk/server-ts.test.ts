/** The TypeScript client for servers against the real service, with responses that are lost on the way. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  checkAll,
  createLogShipper,
  createVigil,
  recordsOf,
  sendLogs,
  submitOrders,
  VigilError,
  type VigilOptions,
} from '../../sdk/server-ts/src/index.ts'
import { ownDatabase } from '../database.ts'
import { type Tenant, useHarness } from '../harness.ts'
import { flushedLogs } from '../support/flushers.ts'
import { lossyFetch } from '../support/lossy-fetch.ts'

// A separate database, because the test flushes the spool of all organizations.
const harness = useHarness({ db: ownDatabase() })
let base_url = ''
let tenant: Tenant
let access_token = ''
beforeAll(async () => {
  base_url = `${await harness().app.listen({ host: '127.0.0.1', port: 0 })}/v1`
  tenant = await harness().createTenant()
  access_token = await harness().signIn(tenant.org_id)
})

const client = (options: Partial<VigilOptions> = {}) =>
  createVigil({
    base_url,
    api_key: tenant.keys.live_secret,
    access_token: () => access_token,
    backoff_ms: 1,
    ...options,
  })

const creditsOf = async (key: string): Promise<unknown[]> => {
  const { body } = await harness().get<Record<string, unknown>>('/v1/rum/usage', { key })
  return Object.values(body.content)
}

const collect = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const each of source) all.push(each)
  return all
}

async function* numbered<T>(count: number, make: (index: number) => T): AsyncGenerator<T> {
  for (let index = 0; index < count; index += 1) yield await Promise.resolve(make(index))
}

describe('a call', () => {
  it('returns the content of the response', async () => {
    const result = await client().createCheck({ email: 'ann@example.com' })
    expect(await client().getCheck({ id: result.check_id })).toEqual(result)
    expect(result.credits_used).toBe(1)
    expect(await creditsOf(tenant.keys.live_secret)).toEqual([0, 0, 0])
  })

  it('throws what the service refuses, with the field, and does not repeat it', async () => {
    const fetch = lossyFetch(0)
    const error: unknown = await client({ fetch })
      .createCheck({ phone: '0170 1234567' })
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(VigilError)
    expect(error).toMatchObject({
      status: 400,
      field: 'phone',
      code: 'invalid_request',
      attempts: 1,
      may_have_succeeded: false,
    })
    expect(fetch.requests).toHaveLength(1)
  })

  it('throws for a wrong key, and for a credential that it does not have', async () => {
    const wrong = client({ api_key: 'sk_test_wrong', access_token: undefined })
    await expect(wrong.getSandbox()).rejects.toMatchObject({ status: 401 })
    await expect(wrong.listWebhooks({ org_id: tenant.org_id })).rejects.toThrow('access_token')
  })

  it('never reaches another path with a hostile id', async () => {
    await expect(client().getCheck({ id: '../../healthz' })).rejects.toMatchObject({ status: 404 })
    await expect(client().getCheck({ id: '..' })).rejects.toThrow('id must not be ..')
  })

  it('says that the answer is not from Vigil when another server answers', async () => {
    const elsewhere = client({ base_url: base_url.replace('/v1', '/healthz?'), retries: 0 })
    await expect(elsewhere.getSandbox()).rejects.toThrow('not from Vigil')
  })
})

describe('after a lost response', () => {
  it.each<[string, (vigil: ReturnType<typeof client>) => Promise<unknown>]>([
    [
      'a check without event_id',
      async (vigil) => await vigil.createCheck({ email: 'b@example.com' }),
    ],
    [
      'an order',
      async (vigil) =>
        await vigil.createOrder({ external_order_id: `lost-${randomUUID()}`, amount_cents: 100 }),
    ],
  ])('%s is sent again and charged once', async (_, send) => {
    const { org_id, keys } = await harness().createTenant()
    const fetch = lossyFetch(2)
    await send(client({ fetch, api_key: keys.live_secret }))
    expect(new Set(fetch.requests.map(({ body }) => body)).size).toBe(1)
    expect(fetch.requests).toHaveLength(3)
    const rows = await harness()
      .stores.db.selectFrom('usage_events')
      .select(({ fn }) => fn.sum('quantity').as('quantity'))
      .where('org_id', '=', org_id)
      .executeTakeFirstOrThrow()
    expect(Number(rows.quantity)).toBe(1)
  })

  it('an action of a cashier is sent again only with performed_at', async () => {
    const action = { cashier_external_id: 'c-1', action_type: 'no_sale' } as const
    const fetch = lossyFetch(1)
    const error = client({ fetch }).createCashierAction(action)
    await expect(error).rejects.toMatchObject({ attempts: 1, may_have_succeeded: true })
    const performed_at = '2026-03-01T12:00:00Z'
    const stored = await client({ fetch: lossyFetch(1) }).createCashierAction({
      ...action,
      performed_at,
    })
    const again = await client().createCashierAction({ ...action, performed_at })
    expect(again.action).toEqual(stored.action)
  })

  it('what would create another record is not sent again', async () => {
    const fetch = lossyFetch(1)
    const created = client({ fetch }).createEdgeAlert({
      org_id: tenant.org_id,
      name: 'Errors',
      condition: { level: 'error' },
      threshold: 1,
      window_minutes: 5,
    })
    await expect(created).rejects.toMatchObject({ may_have_succeeded: true })
    expect(await client().listEdgeAlerts({ org_id: tenant.org_id })).toHaveLength(1)
  })
})

describe('lists', () => {
  it('of any length are split, with a result for each element in order', async () => {
    const fetch = lossyFetch(1)
    const checks = numbered(7, (index) =>
      index === 4 ? { phone: 'wrong' } : { email: `clean@example.com`, event_id: `list-${index}` },
    )
    const vigil = client({ fetch, api_key: tenant.keys.test_secret })
    const results = await collect(checkAll(vigil, checks, { batch_items: 3 }))
    expect(results.map(({ success }) => success)).toEqual([1, 1, 1, 1, 0, 1, 1].map(Boolean))
    expect(fetch.requests).toHaveLength(4)
  })

  it('of orders are scored in order', async () => {
    const orders = numbered(5, (index) => ({
      external_order_id: `o-${index}`,
      external_id: 'c',
      amount_cents: 1,
    }))
    const results = await collect(submitOrders(client(), orders, { batch_items: 2 }))
    expect(
      results.map((result) => result.success && result.content.order.external_order_id),
    ).toEqual(['o-0', 'o-1', 'o-2', 'o-3', 'o-4'])
  })

  it('name the element at which a whole request failed', async () => {
    const wrong = client({ api_key: 'sk_test_wrong' })
    const results = checkAll(wrong, [{ email: 'a@example.com' }])
    await expect(results.next()).rejects.toMatchObject({ status: 401, index: 0 })
    const orders = [{ external_order_id: 'x', amount_cents: 1 }]
    await expect(submitOrders(wrong, orders, { batch_items: 101 }).next()).rejects.toThrow(
      'batch_items',
    )
  })
})

describe('logs', () => {
  it('arrive once, with rejected entries by their index, and are read over all pages', async () => {
    const { org_id, keys } = await harness().createTenant()
    const token = await harness().signIn(org_id)
    const fetch = lossyFetch(1)
    const vigil = client({ fetch, api_key: keys.live_secret, access_token: token })
    const entries = numbered(5, (index) => ({
      device_id: index === 3 ? '' : 'd',
      level: 'info' as const,
      message: `entry ${index}`,
      timestamp: `2026-03-01T12:00:0${index}Z`,
    }))
    const receipt = await sendLogs(vigil, entries, { batch_items: 2 })
    expect(receipt).toMatchObject({ received: 5, processed: 4, errors: [{ index: 3 }] })

    const reports: string[] = []
    const shipper = createLogShipper({
      vigil: client({ fetch: lossyFetch(6), api_key: keys.live_secret }),
      device_id: 'shipper',
      pause_ms: 1,
      report: (text) => void reports.push(text),
    })
    for (let index = 0; index < 3; index += 1) shipper.log('warn', 'same')
    expect(await shipper.flush()).toBe(false)
    shipper.log('error', 'later', { error: new TypeError('broken'), data: { big: 1n } })
    expect(await shipper.close()).toBe(true)
    expect(shipper.stats()).toEqual({ waiting: 0, sent: 4, dropped: 0, rejected: 0 })
    expect(reports).toEqual([expect.stringContaining('could not be sent and wait')])

    await flushedLogs(harness(), org_id, 8)
    const params = { org_id, start_date: '2026-01-01', limit: 3 }
    const read = await collect(recordsOf(vigil, 'listEdgeLogs', params))
    expect(read).toHaveLength(8)
    expect(read.map(({ message }) => message)).toContain('later')
    expect(read.find(({ message }) => message === 'later')).toMatchObject({
      error: { type: 'TypeError' },
      data: { left_out: 'not possible as JSON' },
    })
    const searched = recordsOf(vigil, 'searchEdgeLogs', { ...params, q: 'later' })
    expect(await collect(searched)).toHaveLength(1)
    expect(await collect(recordsOf(vigil, 'listEdgeErrors', { org_id }))).toHaveLength(1)
    expect(await collect(recordsOf(vigil, 'listEdgeDevices', { org_id }))).toHaveLength(2)
  })
})

it('files are streams', async () => {
  const stream = await client().exportMdmFleetInventory({ org_id: tenant.org_id })
  expect(await new Response(stream).text()).toMatch(/^id,/)
})
