import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { useHarness } from '../../../test/harness.ts'
import { addEdgeLogs, edgeLog } from '../../../test/support/edge-logs.ts'
import { addFlaggedOrders } from '../../../test/support/flagged-orders.ts'
import { addSubscriptions } from '../../../test/support/push-messages.ts'
import { BERLIN, TOKYO } from '../../../test/support/traveler.ts'
import type { CaseList } from '../reviews/cases/schema.ts'
import { CELL_TABLES, DIRECTORY_TABLES } from '../table-places.ts'
import type { PersonReport } from './schema.ts'

/** It stands still, so that a deletion on a slow machine is not divided among several requests. */
const NOW = new Date()
const harness = useHarness({
  clock: { now: () => NOW },
  settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' },
})
const PATH = '/console/api/people/deletion'

type Person = { email: string; spelling: string; phone: string; profile: string; device: string }
type Shop = { org_id: string; key: string; admin: string }

const ANN: Person = {
  email: 'ann.lee@gmail.com',
  spelling: 'Ann.Lee+shop@googlemail.com',
  phone: '+12025550143',
  profile: 'customer-4711',
  device: 'fp-a1b2c3d4e5f6',
}
/** Every value of hers is part of one of his, or the reverse. */
const BOB: Person = {
  email: 'joann.lee@gmail.com',
  spelling: 'joann.lee@gmail.com',
  phone: '+120255501439',
  profile: 'customer-47112',
  device: 'fp-a1b2c3d4e5f6a',
}
const QUERY = { email: ANN.email, phone: ANN.phone, profile: ANN.profile, device: ANN.device }

async function createShop(): Promise<Shop> {
  const { org_id, keys } = await harness().createTenant('business')
  const admin = await harness().signIn(org_id, 'admin')
  const webhook = {
    org_id,
    url: 'https://8.8.8.8/hook',
    events: ['email.check.completed', 'order.fraud.detected'],
  }
  await harness().post('/v1/webhooks', webhook, { token: admin })
  return { org_id, key: keys.live_secret, admin }
}

const must = async (path: string, body: object, as: { key?: string; token?: string }) => {
  const answer = await harness().post<Record<string, unknown>>(path, body, as)
  expect(answer.status, `${path}: ${answer.body.message}`).toBe(200)
  return answer.body.content
}

async function addPerson(shop: Shop, person: Person): Promise<void> {
  const { key, org_id, admin: token } = shop
  const { spelling, email, phone, profile, device } = person
  const fingerprint = { fingerprint_hash: device }
  await must('/v1/check', { email: spelling, device: fingerprint, event_id: randomUUID() }, { key })
  await must('/v1/check', { email }, { key })
  await must('/v1/check', { phone, event_id: `signup of ${profile}` }, { key })
  await must(
    '/v1/check',
    { email: `${randomUUID()}@example.com`, metadata: { user: profile } },
    { key },
  )
  await must('/v1/check/phone/report', { phone, outcome: 'sim_swap_fraud' }, { key })
  await must(
    '/v1/profiles',
    { external_id: profile, profile_type: 'customer', ...fingerprint },
    { key },
  )
  for (const [index, place] of [BERLIN, TOKYO, BERLIN].entries()) {
    const ordered_at = new Date(Date.now() - (5 - index) * 60_000).toISOString()
    const body = { external_order_id: randomUUID(), external_id: profile, amount_cents: 1000 }
    await must('/v1/orders', { ...body, ordered_at, ...place, ...fingerprint }, { key })
  }
  await must(
    '/v1/orders',
    { external_order_id: randomUUID(), amount_cents: 5, ...fingerprint },
    { key },
  )
  const values = { email, phone, profile, device }
  for (const [kind, value] of Object.entries(values)) {
    await must('/console/api/lists', { org_id, list: 'block', kind, value }, { token })
  }
  const path = `/console/api/cases?org_id=${org_id}`
  const { cases } = (await harness().get<CaseList>(path, { token })).body.content
  for (const { id } of cases) {
    const text = `Called ${phone} and wrote to ${spelling}: ${profile} is known.`
    await must(`/console/api/cases/${id}/notes`, { org_id, text }, { token })
  }
  const application = { org_id, application_id: randomUUID() }
  await addSubscriptions(harness().stores.db, application, 1, { user: profile })
  const logs = [`${spelling} has paid`, 'nothing'].map((message) =>
    edgeLog({ org_id, message, received_at_ms: Date.now(), data: JSON.stringify({ n: 1 }) }),
  )
  logs.push(edgeLog({ org_id, received_at_ms: Date.now(), data: JSON.stringify({ profile }) }))
  await addEdgeLogs(harness().stores.analytics.clickhouse, logs)
}

type Rows = Map<string, string[]>

/** All rows of an organization as JSON, by table, also those of the analytics engine. */
async function rowsOf(orgId: string): Promise<Rows> {
  const { db, directory, analytics } = harness().stores
  const found: Rows = new Map()
  for (const [handle, tables] of [
    [db, CELL_TABLES],
    [directory, DIRECTORY_TABLES],
  ] as const) {
    for (const table of tables) {
      const { rows: columns } = await sql<{ name: string }>`
        select attname::text as name from pg_attribute
        where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped`.execute(handle)
      if (!columns.some(({ name }) => name === 'org_id')) continue
      const { rows } = await sql<{ row: string }>`
        select row_to_json(t)::text as row from ${sql.table(table)} t
        where org_id = ${orgId}`.execute(handle)
      found.set(table, rows.map(({ row }) => row).toSorted())
    }
  }
  for (const table of ['edge_logs', 'rum_events']) {
    const rows = await analytics.clickhouse.query<object>(
      `select * from ${table} where org_id = '${orgId}'`,
    )
    found.set(table, rows.map((row) => JSON.stringify(row)).toSorted())
  }
  return found
}

/** The audit log stays, and requests are recorded in the background. */
const UNCHANGED = ['audit_log', 'request_log', 'api_keys']

/** Tables in which a deletion writes rows without values of the person. */
const WITHOUT_VALUES = ['list_versions', 'cases', 'applied_directory_changes']

const withoutBooks = (rows: Rows): Rows =>
  new Map([...rows].filter(([table]) => !UNCHANGED.includes(table)))

/** @returns tables with a row that contains the value, which no longer value of another person surrounds */
const tablesWith = (rows: Rows, value: string): string[] => {
  const text = value.replaceAll(/[.+]/g, String.raw`\$&`)
  const exactly = new RegExp(`(?<![\\w+])${text}(?!\\w)`, 'i')
  return [...withoutBooks(rows)].flatMap(([table, found]) =>
    found.some((row) => exactly.test(row)) ? [table] : [],
  )
}

const run = async (shop: Shop, body: object, token = shop.admin) =>
  await harness().post<PersonReport & { field: string }>(
    PATH,
    { org_id: shop.org_id, dry_run: false, ...body },
    { token },
  )

describe("the deletion of a person's data", () => {
  let shop: Shop
  let other: Shop
  let planned: PersonReport
  beforeAll(async () => {
    shop = await createShop()
    other = await createShop()
    for (const one of [shop, other]) for (const person of [ANN, BOB]) await addPerson(one, person)
    await addFlaggedOrders(harness(), shop.key, ['of someone else'])
    await harness().applyChanges()
  }, 60_000)

  it('in a dry run reports what it would delete, and changes nothing', async () => {
    const before = withoutBooks(await rowsOf(shop.org_id))
    const { status, body } = await run(shop, { ...QUERY, dry_run: true })
    expect(status, body.message).toBe(200)
    expect(body.content.deleted).toMatchObject({
      orders: 4,
      checks: 4,
      profiles: 1,
      list_entries: 4,
    })
    expect(withoutBooks(await rowsOf(shop.org_id))).toEqual(before)
    planned = body.content
  })

  it('leaves no value of the person in any table, and all rows of others as they were', async () => {
    const [before, theirs] = [await rowsOf(shop.org_id), await rowsOf(other.org_id)]
    const values = Object.values(ANN)
    for (const value of values) expect(tablesWith(before, value).length).toBeGreaterThan(0)
    const { status, body } = await run(shop, QUERY)
    expect(status, body.message).toBe(200)
    const { next_step, deleted, cleared } = body.content
    expect(next_step).toBeNull()
    expect({ deleted, cleared }).toEqual({ deleted: planned.deleted, cleared: planned.cleared })
    expect(deleted).toMatchObject({ orders: 4, checks: 4, edge_logs: 2, push_subscriptions: 1 })
    expect(deleted['events']).toBeGreaterThan(0)
    expect(deleted['reviews']).toBeGreaterThan(0)
    const after = await rowsOf(shop.org_id)
    for (const value of values) expect([value, tablesWith(after, value)]).toEqual([value, []])
    for (const value of Object.values(BOB)) {
      expect(tablesWith(after, value)).toEqual(tablesWith(before, value))
    }
    const changed = [...withoutBooks(after)].flatMap(([table, rows]) => {
      const known = new Set(before.get(table))
      return rows.filter((row) => !known.has(row)).map((row) => ({ table, row }))
    })
    const unexpected = changed.filter(
      ({ table, row }) => !row.includes('[deleted]') && !WITHOUT_VALUES.includes(table),
    )
    expect(unexpected).toEqual([])
    expect(changed.length).toBeLessThan(20)
    expect(cleared).not.toHaveProperty('orders')
    expect(withoutBooks(await rowsOf(other.org_id))).toEqual(withoutBooks(theirs))
  })

  it('is one entry of the audit log without the values, and finds nothing a second time', async () => {
    await harness().applyChanges()
    const { rows } = await sql<{ entry: string }>`
      select row_to_json(a)::text as entry from audit_log a
      where org_id = ${shop.org_id} and action = 'person.deleted'`.execute(
      harness().stores.directory,
    )
    expect(rows.length).toBe(1)
    for (const value of Object.values(ANN)) expect(rows[0]?.entry).not.toContain(value)
    const { body } = await run(shop, QUERY)
    expect(body.content).toMatchObject({ deleted: {}, cleared: {} })
  })

  it('treats later requests of the person as those of a new one', async () => {
    const order = { external_order_id: randomUUID(), external_id: ANN.profile, amount_cents: 1000 }
    await must('/v1/orders', order, { key: shop.key })
    await must('/v1/check', { email: ANN.email }, { key: shop.key })
    expect((await run(shop, { profile: ANN.profile })).body.content.deleted).toMatchObject({
      orders: 1,
      profiles: 1,
      states: 1,
    })
    expect((await run(shop, { email: ANN.spelling })).body.content.deleted).toMatchObject({
      checks: 1,
    })
  })

  it('continues where it stopped', async () => {
    const { body } = await run(other, { ...QUERY, from_step: 'rum_events' })
    expect(body.content.deleted).not.toHaveProperty('orders')
    expect((await run(other, QUERY)).body.content.deleted).toMatchObject({ orders: 4 })
  })

  it('matches a short id as that of a profile only', async () => {
    const order = { external_id: '17', external_order_id: 'order 17', amount_cents: 1700 }
    await must('/v1/orders', order, { key: shop.key })
    await must('/v1/check', { email: 'x@example.com', metadata: { items: 17, size: '17' } }, shop)
    const { deleted, not_searched } = (await run(shop, { profile: '17' })).body.content
    expect(deleted).toMatchObject({ orders: 1 })
    expect(deleted).not.toHaveProperty('checks')
    expect(not_searched).toEqual(['profile'])
  })

  it('names what is wrong with a request', async () => {
    const field = async (body: object) => {
      const answer = await run(shop, body)
      return [answer.status, answer.body.content.field]
    }
    expect(await field({})).toEqual([400, 'email'])
    expect(await field({ email: 'ann' })).toEqual([400, 'email'])
    expect(await field({ phone: '0202' })).toEqual([400, 'phone'])
    const member = await harness().signIn(shop.org_id, 'member')
    expect((await run(shop, QUERY, member)).status).toBe(403)
    expect((await run(shop, QUERY, other.admin)).status).toBe(404)
  })
})
