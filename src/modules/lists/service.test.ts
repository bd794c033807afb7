import { beforeAll, describe, expect, it } from 'vitest'
import { type Tenant, useHarness } from '../../../test/harness.ts'
import { newOrder } from '../../../test/support/orders.ts'
import type { ListedEntry, ListImport, ListPage } from './schema.ts'

const harness = useHarness()
const PATH = '/console/api/lists'
let shop: Tenant
let token: string
beforeAll(async () => {
  shop = await harness().createTenant()
  token = await harness().signIn(shop.org_id, 'admin')
})

type Fault = { field: string }
const add = async (body: object, as = token) =>
  await harness().call<ListedEntry & Fault>({
    method: 'POST',
    path: PATH,
    token: as,
    body: { org_id: shop.org_id, ...body },
  })
const get = async <Content>(path = '') =>
  (
    await harness().get<Content>(
      `${PATH}${path}${path.includes('?') ? '&' : '?'}org_id=${shop.org_id}`,
      { token },
    )
  ).body.content
type Scored = {
  order: { id: string }
  risk: { risk_score: number; risk_level: string; flags: string[]; flagged_for_review: boolean }
}
const order = async (body: Record<string, unknown>) =>
  (await harness().post<Scored>('/v1/orders', newOrder(body), { key: shop.keys.live_secret })).body
    .content

describe('lists', () => {
  it('change the scores of orders, which explain why', async () => {
    await add({ list: 'block', kind: 'device', value: 'stolen-phone', reason: 'Reported stolen' })
    const blocked = await order({ external_id: 'ann', fingerprint_hash: 'stolen-phone' })
    expect(blocked.risk).toMatchObject({
      risk_score: 90,
      risk_level: 'critical',
      flags: ['device_anomaly'],
      flagged_for_review: true,
    })
    const explained = await harness().get<{ adjustments: object[]; reviews: object[] }>(
      `/console/api/orders/${blocked.order.id}?org_id=${shop.org_id}`,
      { token },
    )
    const reason = 'The device is on the block list: Reported stolen'
    expect(explained.body.content).toMatchObject({
      adjustments: [{ by: 'list', list: 'block', sentence: `${reason}. Score 0 → 90` }],
      reviews: [{ reason }],
    })
    await add({ list: 'watch', kind: 'profile', value: 'bob' })
    expect((await order({ external_id: 'bob' })).risk).toMatchObject({
      risk_score: 50,
      flagged_for_review: true,
    })
    await add({ list: 'allow', kind: 'profile', value: 'cem' })
    await add({ list: 'block', kind: 'country', value: 'France' })
    const cem = await order({ external_id: 'cem', location_country: 'Frankreich' })
    expect(cem.risk.flagged_for_review).toBe(false)
    const stranger = await order({ external_id: 'dora', location_country: 'FR' })
    expect(stranger.risk.flags).toEqual(['location_anomaly'])
  })

  it('do not change what a replay makes of the orders', async () => {
    const owners = [{ org_id: shop.org_id, mode: 'live' as const }]
    const all = { from: new Date(0), to: new Date('2100-01-01') }
    const { orders, same_score } = await harness().services.orders.replay({ owners, ...all })
    expect([orders, same_score]).toEqual([4, 4])
  })

  it('change the scores of checks', async () => {
    await add({ list: 'block', kind: 'email', value: 'thief@gmail.com' })
    await add({ list: 'allow', kind: 'domain', value: 'partner.example' })
    const check = async (body: object) =>
      (await harness().post('/v1/check', body, { key: shop.keys.live_secret })).body.content
    const blocked = await check({ email: 't.hief+1@googlemail.com' })
    expect(blocked).toMatchObject({ risk_score: 90, risk_level: 'critical' })
    expect(blocked.signals.disposable_score).toBe(100)
    expect(await check({ email: 'a@unknown.partner.example' })).toMatchObject({ risk_level: 'low' })
    const details = await harness().get<{ explanation: { adjustments: object[] } }>(
      `/console/api/checks/${blocked.check_id}?org_id=${shop.org_id}`,
      { token },
    )
    expect(details.body.content.explanation.adjustments).toMatchObject([
      { list: 'block', kind: 'email', score_after: 90 },
    ])
  })

  it('send cashier actions to review', async () => {
    await add({ list: 'watch', kind: 'cashier', value: 'cashier-9' })
    const { body } = await harness().post<{ fraud: object }>(
      '/v1/cashier/actions',
      { cashier_external_id: 'cashier-9', action_type: 'refund', amount_cents: 700 },
      { key: shop.keys.live_secret },
    )
    expect(body.content.fraud).toMatchObject({ risk_score: 50, flags: ['excessive_refunds'] })
  })

  it('store no e-mail, phone number, device, address or card as text', async () => {
    const secrets = {
      email: 'eve@example.org',
      phone: '+4915112345678',
      device: 'fp-0123456789',
      ip: '198.51.100.7',
      card: 'card-987654321',
    }
    for (const [kind, value] of Object.entries(secrets)) {
      const { body } = await add({ list: 'watch', kind, value })
      expect(body.content.value).not.toContain(value)
      const found = await get<ListPage>(`?value=${encodeURIComponent(value)}`)
      expect(found.entries.map(({ id }) => id)).toEqual([body.content.id])
    }
    const rows = await harness()
      .stores.db.selectFrom('list_entries')
      .selectAll()
      .where('org_id', '=', shop.org_id)
      .execute()
    const stored = JSON.stringify(rows)
    for (const value of Object.values(secrets)) expect(stored).not.toContain(value)
  })

  it('belong to one organization and one mode', async () => {
    const { body } = await harness().post<Scored>(
      '/v1/orders',
      newOrder({ fingerprint_hash: 'stolen-phone' }),
      { key: shop.keys.test_secret },
    )
    expect(body.content.risk.risk_score).toBe(0)
    const other = await harness().createTenant()
    const theirs = await harness().signIn(other.org_id, 'owner')
    expect((await add({ list: 'block', kind: 'device', value: 'x' }, theirs)).status).toBe(404)
    const { entries } = await get<ListPage>()
    const path = `${PATH}/${entries[0]?.id}?org_id=${other.org_id}`
    const removed = await harness().call({ method: 'DELETE', path, token: theirs })
    expect(removed.status).toBe(404)
  })

  it('lose an entry that is removed, with an audit entry of each change', async () => {
    const { body } = await add({ list: 'block', kind: 'terminal', value: 'till-7' })
    expect((await order({ edge_device_id: 'till-7' })).risk.risk_score).toBe(90)
    const path = `${PATH}/${body.content.id}?org_id=${shop.org_id}`
    expect((await harness().call({ method: 'DELETE', path, token })).status).toBe(200)
    expect((await harness().call({ method: 'DELETE', path, token })).status).toBe(404)
    expect((await order({ edge_device_id: 'till-7' })).risk.risk_score).toBe(0)
    const log = await harness().get<{ entries: { action: string; target: string }[] }>(
      `/console/api/audit?org_id=${shop.org_id}`,
      { token },
    )
    expect(log.body.content.entries.slice(0, 2)).toMatchObject([
      { action: 'list_entry.removed', target: 'terminal till-7 from the block list' },
      { action: 'list_entry.added', target: 'terminal till-7 on the block list' },
    ])
  })

  it('replace the entry of the same identity', async () => {
    const value = 'Zed@Example.com'
    const first = (await add({ list: 'block', kind: 'email', value, reason: 'a' })).body.content
    const second = (await add({ list: 'block', kind: 'email', value: 'zed@example.com' })).body
    expect(second.content).toMatchObject({ id: first.id, reason: null })
  })

  it('are exported and imported, with every refused line named', async () => {
    const { csv } = await get<{ csv: string }>('/export')
    const other = await harness().createTenant()
    const admin = await harness().signIn(other.org_id, 'admin')
    const into = async (text: string, org_id = shop.org_id, as = token) =>
      (
        await harness().call<ListImport & Fault>({
          method: 'POST',
          path: `${PATH}/import`,
          token: as,
          body: { org_id, csv: text },
        })
      ).body.content
    const before = (await get<ListPage>()).total
    expect(await into(csv)).toMatchObject({ stored: before, refused: 0 })
    expect((await get<ListPage>()).total).toBe(before)
    const mixed =
      'list,kind,value,expires_at\nblock,email,x\nblack,email,a@example.com\nblock,phone,+12025550100,2001-01-01T00:00:00Z\nblock,profile,p\n'
    expect(await into(mixed, other.org_id, admin)).toMatchObject({
      stored: 1,
      refused: 3,
      faults: [
        { line: 2, field: 'value' },
        { line: 3, field: 'list' },
        { line: 4, field: 'expires_at' },
      ],
    })
    expect(await into('a,b\n1,2')).toMatchObject({ field: 'csv' })
  })
})
