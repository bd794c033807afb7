import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../test/harness.ts'
import { addDevice } from '../../../test/support/mdm.ts'
import { newOrder, useOrders } from '../../../test/support/orders.ts'
import { rowsRead } from '../../../test/support/rows-read.ts'
import { addEndpoint, deliveriesOf, newEvent } from '../../../test/support/webhooks.ts'
import { preferIndexes } from '../../platform/postgres/prefer-indexes.ts'
import type { Plan, Role } from '../accounts/tables.ts'
import { emitEvents } from '../events/index.ts'
import { findOrdersByPart } from '../orders/index.ts'
import { SEARCHED_KINDS, type SearchKind, type SearchResult } from './schema.ts'
import { createSearch } from './service.ts'

const harness = useHarness()
const { order } = useOrders(harness)

async function createShop(role: Role = 'owner', plan: Plan = 'starter') {
  const tenant = await harness().createTenant(plan)
  return { ...tenant, token: await harness().signIn(tenant.org_id, role) }
}
type Shop = Awaited<ReturnType<typeof createShop>>

const search = async ({ org_id, token }: Pick<Shop, 'org_id' | 'token'>, body: object) =>
  await harness().call<SearchResult & { field: string }>({
    method: 'POST',
    path: '/console/api/search',
    token,
    body: { org_id, ...body },
  })

/** The names that were found, by kind. */
async function found(shop: Shop, text: string, mode: 'live' | 'test' = 'test') {
  const { status, body } = await search(shop, { text, mode })
  expect({ status, incomplete: body.content.incomplete }).toEqual({ status: 200, incomplete: [] })
  return Object.fromEntries(
    body.content.groups.map(({ kind, hits }) => [kind, hits.map(({ name }) => name)]),
  )
}

/** Adds an endpoint, and a delivery to it. */
async function addDelivered({ org_id }: Shop) {
  const { db } = harness().stores
  const url = 'https://crm.example/in'
  const endpoint = await addEndpoint(db, { org_id, mode: 'test', url })
  await emitEvents(db, [newEvent(org_id, { id: harness().stores.newId(new Date()), mode: 'test' })])
  const [delivery] = await deliveriesOf(db, endpoint.id)
  if (!delivery) throw new Error('the event has no delivery')
  return { endpoint, delivery }
}

const send = async ({ keys }: Shop, path: string, body: object) => {
  const answer = await harness().call({ method: 'POST', path, key: keys.test_secret, body })
  expect(answer.status).toBe(200)
  return answer.body.content
}

describe('POST /console/api/search', () => {
  it('finds orders by each part of their numbers, and by their ids', async () => {
    const shop = await createShop()
    const answer = await order(
      shop.keys.test_secret,
      newOrder({ external_order_id: 'Web-2026-004711', external_id: 'anna.meier' }),
    )
    const { id } = answer.body.content.order
    for (const text of ['web-20', 'WEB-2026-004711', '4711', '2026-00', id, id.slice(0, 13)]) {
      expect(await found(shop, text), text).toMatchObject({ orders: ['Web-2026-004711'] })
    }
    expect(await found(shop, 'meier')).toEqual({ profiles: ['anna.meier'] })
    expect(await found(shop, 'anna')).toEqual({ profiles: ['anna.meier'] })
    expect(await found(shop, '%_')).toEqual({})
    const { groups } = (await search(shop, { text: '4711', mode: 'test' })).body.content
    expect(groups).toEqual([
      { kind: 'orders', hits: [{ name: 'Web-2026-004711', remark: null, link: `/orders/${id}` }] },
    ])
  })

  it('finds checks by e-mail, phone number, fingerprint, event and id', async () => {
    const shop = await createShop()
    const { check_id } = await send(shop, '/v1/check', {
      email: 'Clean.Customer@example.com',
      phone: '+4915123456789',
      device: { fingerprint_hash: 'fp-77' },
      event_id: 'signup-9',
    })
    const hit = { checks: ['Clean.Customer@example.com'] }
    for (const text of ['clean.c', 'customer@', '456789', '+49 151 234567 89', 'p-77']) {
      expect(await found(shop, text), text).toEqual(hit)
    }
    for (const text of ['signup-9', check_id.slice(0, 13)]) {
      expect(await found(shop, text), text).toEqual(hit)
    }
  })

  it('finds cashiers, devices, endpoints, deliveries, members and keys', async () => {
    const shop = await createShop()
    const { org_id } = shop
    const { db } = harness().stores
    const action = { action_type: 'no_sale', cashier_external_id: 'Cashier-7' }
    await send(shop, '/v1/cashier/actions', action)
    expect(await found(shop, 'shier-7')).toMatchObject({ cashiers: ['Cashier-7'] })
    const name = 'Ann "Zoë" O\\Neil'
    await send(shop, '/v1/cashier/actions', { ...action, cashier_external_id: name })
    for (const text of ['NN "', '" o\\n', 'zoë', 'ë" O']) {
      expect(await found(shop, text), text).toMatchObject({ cashiers: [name] })
    }
    await sql`
      insert into edge_devices (org_id, mode, device_id, name, created_at, last_seen_at)
      values (${org_id}, 'test', 'printer-07', 'Bar printer', now(), now())`.execute(db)
    expect(await found(shop, 'bar pri')).toEqual({ edge_devices: ['printer-07'] })
    await addDevice(db, { org_id, serial_number: 'XK-77-2', name: null })
    expect(await found(shop, 'xk-77', 'live')).toEqual({ managed_devices: ['XK-77-2'] })
    const { delivery } = await addDelivered(shop)
    expect(await found(shop, 'crm.ex')).toEqual({ endpoints: ['https://crm.example/in'] })
    expect(Object.keys(await found(shop, delivery.id))).toEqual(['deliveries'])
    expect(Object.keys(await found(shop, delivery.event_id))).toEqual(['deliveries'])
    const hint = `sk_test_…${shop.keys.test_secret.slice(-4)}`
    expect(await found(shop, hint)).toEqual({ keys: [hint] })
    expect((await found(shop, '.test'))['members']).toHaveLength(1)
  })

  it('finds parts in the middle of names among all orders, profiles and devices', async () => {
    const shop = await createShop()
    const { org_id } = shop
    const { db } = harness().stores
    const external_id = 'shop.customer-31415926.de'
    const body = newOrder({ external_order_id: 'Web-2026-004711-B', external_id })
    await order(shop.keys.test_secret, body)
    await addDevice(db, { org_id, serial_number: 'XK-9918-2', name: 'Tablet Größe' })
    // More orders than a search compares one by one.
    await sql`
      insert into orders (org_id, id, mode, seq, external_order_id, risk_score, request, assessment, ordered_at, created_at)
      select ${org_id}, (left(new_time_id()::text, 13) || right(gen_random_uuid()::text, 23))::uuid, 'test', n + 10,
        'later-' || n, 0, '{}', '{}', now(), now() from generate_series(1, 6000) n`.execute(db)
    expect(await found(shop, '6-0047')).toEqual({ orders: ['Web-2026-004711-B'] })
    // The sequence of ids is only cheaper than other ways for a table with statistics.
    await sql`analyze orders`.execute(db)
    for (const [text, hits] of [
      ['ater-', 5],
      ['zzqqx', 0],
    ] as const) {
      const owner = { org_id, mode: 'test' } as const
      const rows = await rowsRead(db, 'orders', async (tx) => {
        await preferIndexes(tx)
        expect((await findOrdersByPart(tx, { ...owner, text, limit: 5 })).length).toBe(hits)
      })
      expect(rows, text).toBeLessThan(600)
    }
    expect(await found(shop, 'R-31415')).toEqual({ profiles: [external_id] })
    expect(await found(shop, '-9918', 'live')).toEqual({ managed_devices: ['Tablet Größe'] })
    expect(await found(shop, 'GRÖ', 'live')).toEqual({ managed_devices: ['Tablet Größe'] })
  })

  it('reads some of the entries of a part that many older names have, and all of a rare one', async () => {
    const { org_id } = await createShop()
    const { db } = harness().stores
    const addOrders = async (name: string, from: number, count: number) =>
      await sql`
        insert into orders (org_id, id, mode, seq, external_order_id, risk_score, request, assessment, ordered_at, created_at)
        select ${org_id}, (left(new_time_id()::text, 13) || right(gen_random_uuid()::text, 23))::uuid, 'test', n,
          ${name}::text || n || 'Q', 0, '{}', '{}', now(), now()
        from generate_series(${from}::int, ${from + count - 1}::int) n`.execute(db)
    await addOrders('x-old-', 1, 8000)
    await addOrders('y-rare-', 8001, 3)
    await addOrders('z-new-', 8101, 600)
    // New entries of the index wait in a list that is always read as a whole.
    await sql`select gin_clean_pending_list('orders_search_middle'::regclass)`.execute(db)
    for (const [text, hits] of [
      ['old', 5],
      ['rare', 3],
    ] as const) {
      const entries = await db.transaction().execute(async (tx) => {
        await preferIndexes(tx)
        const orders = await findOrdersByPart(tx, { org_id, mode: 'test', text, limit: 5 })
        expect(orders.length).toBe(hits)
        const { rows } = await sql<{ read: number }>`
          select pg_stat_get_xact_tuples_returned('orders_search_middle'::regclass) as read`.execute(
          tx,
        )
        return rows[0]?.read
      })
      expect(entries, text).toBeGreaterThanOrEqual(hits)
      expect(entries, text).toBeLessThan(4000)
    }
  })

  it('finds a log entry by its id', async () => {
    const shop = await createShop()
    const id = harness().stores.newId(new Date())
    const { clickhouse } = harness().stores.analytics
    await clickhouse.command(
      `insert into edge_logs (org_id, mode, id, received_at, timestamp_ms, device_id, level, message)
      values ({org:UUID}, 'test', {id:UUID}, now64(3), {at:Int64}, 'till-7', 'error', 'Paper jam')`,
      { org: shop.org_id, id, at: Date.UTC(2026, 0, 2) },
    )
    expect(await found(shop, id)).toEqual({ logs: ['Paper jam'] })
    expect(await found(shop, id, 'live')).toEqual({})
    expect(await found(await createShop(), id)).toEqual({})
    const { groups } = (await search(shop, { text: id, mode: 'test' })).body.content
    expect(groups[0]?.hits[0]?.link).toBe(
      '/logs?from=2026-01-02T00%3A00%3A00.000Z&to=2026-01-02T00%3A00%3A00.000Z&device_id=till-7',
    )
  })

  it('shows a member what the role and the plan include', async () => {
    const shop = await createShop('member', 'free')
    await addEndpoint(harness().stores.db, { org_id: shop.org_id, mode: 'test' })
    expect(await found(shop, 'example/hook')).toEqual({})
    expect(await found(shop, 'sk_test')).toEqual({})
  })

  it('finds nothing of the other mode or of another organization', async () => {
    const [mine, other] = [await createShop(), await createShop()]
    const { keys } = other
    const name = `secret-${randomUUID()}`
    const body = newOrder({ external_order_id: name, external_id: name })
    const answer = await order(keys.test_secret, body)
    const { endpoint, delivery } = await addDelivered(other)
    const { id } = answer.body.content.order
    for (const text of [name, id, endpoint.id, delivery.id, delivery.event_id]) {
      expect(await found(mine, text), text).toEqual({})
      expect(await found(other, text, 'live'), text).toEqual({})
      expect(await found(other, text), text).not.toEqual({})
    }
    const stranger = { org_id: other.org_id, token: mine.token }
    expect((await search(stranger, { text: name })).status).toBe(404)
  })

  it.each([
    ['text', { text: ' a ' }],
    ['text', { text: 'a\0b' }],
    ['text', { text: 'a'.repeat(201) }],
    ['text', {}],
    ['mode', { text: 'abc', mode: 'all' }],
  ])('names the invalid field %s', async (field, body) => {
    const answer = await search(await createShop(), body)
    expect([answer.status, answer.body.content.field]).toEqual([400, field])
  })
})

describe('a search', () => {
  it('names a kind that took too long, and shows the others', async () => {
    const { db } = harness().stores
    const none = { db, find: () => Promise.resolve([]) }
    const kinds = Object.fromEntries(SEARCHED_KINDS.map((kind) => [kind, none]))
    const { find } = createSearch({
      ...(kinds as Record<SearchKind, typeof none>),
      orders: {
        db,
        find: async (tx) => {
          await sql`select pg_sleep(30)`.execute(tx)
          return []
        },
      },
      profiles: { db, find: () => Promise.resolve([{ name: 'ann', remark: null, link: '/' }]) },
    })
    const owner = { org_id: randomUUID(), mode: 'test' } as const
    const result = await find(owner, { role: 'owner', plan: 'business' }, 'ann')
    expect(result).toMatchObject({ incomplete: ['orders'], groups: [{ kind: 'profiles' }] })
  })
})
