/** Scoring with the rules of organizations on two nodes of one database. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, openHarness } from '../../../../test/harness.ts'
import { compareWithFold } from '../../../../test/support/fold.ts'
import { orderOf } from '../../../../test/support/order-mix.ts'
import { newOrder, pastOrders } from '../../../../test/support/orders.ts'
import type { Mode, Owner } from '../../../platform/owner.ts'
import { findExplainedOrders } from '../index.ts'
import type { OrderRequest, ScoredOrder } from '../schema.ts'
import { readOrderParameters } from '../scoring/parameters.ts'
import { createActiveRulesCache } from './active-rules.ts'
import type { RulesApplied } from './schema.ts'

let nodes: [Harness, Harness] | undefined
beforeAll(async () => {
  nodes = [await openHarness(), await openHarness()]
})
afterAll(async () => {
  for (const node of nodes ?? []) await node.close()
})
const node = (index: 0 | 1 = 0): Harness => {
  if (!nodes) throw new Error('the nodes exist only during tests')
  return nodes[index]
}

/** Creates an organization with a customer who was in Berlin a moment ago. */
async function openShop(mode: Mode = 'live'): Promise<Owner> {
  const { org_id } = await node().createTenant()
  const owner: Owner = { org_id, mode }
  await score(owner, at(BERLIN))
  return owner
}

const BERLIN = { location_latitude: 52.52, location_longitude: 13.405 }
const TOKYO = { location_latitude: 35.68, location_longitude: 139.69 }
const at = (place: object) => newOrder({ external_id: 'traveler', ...place })
const score = async (owner: Owner, order: unknown, on: Harness = node()): Promise<ScoredOrder> =>
  await on.services.orders.score(owner, order as OrderRequest)

async function apply(
  owner: Owner,
  overrides: unknown,
  on: Harness = node(),
): Promise<RulesApplied> {
  const { order_rules } = on.services
  const { version } = await order_rules.show(owner)
  const by = { base_version: version, note: null, by: 'cli' }
  const result = await order_rules.apply(owner, readOrderParameters(overrides), by)
  if ('refused' in result) throw new Error(`refused: ${result.refused}`)
  return result
}

async function assessmentOf({ org_id }: Owner, { order }: ScoredOrder): Promise<string> {
  const { rows } = await sql<{ text: string }>`
    select assessment::text as text from orders
    where org_id = ${org_id} and id = ${order.id}`.execute(node().stores.db)
  return rows[0]?.text ?? ''
}

const DEAF = { weights: { location_anomaly: 0 } }

describe('the rules of an organization', () => {
  it('score only its own orders, also within one batch', async () => {
    const [deaf, usual] = [await openShop(), await openShop()]
    await apply(deaf, DEAF)
    const scored = await Promise.all(
      [deaf, usual, deaf, usual].map(async (owner) => await score(owner, at(TOKYO))),
    )
    expect(scored.map(({ risk }) => risk.risk_score >= 50)).toEqual([false, true, false, true])
    const [deafened] = scored
    expect(deafened?.risk.signals.location_anomaly).toBeGreaterThan(50)
  })

  it('are separate for test mode', async () => {
    const live = await openShop()
    const test: Owner = { ...live, mode: 'test' }
    await score(test, at(BERLIN))
    await apply(live, DEAF)
    expect((await score(test, at(TOKYO))).risk.flagged_for_review).toBe(true)
    expect((await score(live, at(TOKYO))).risk.flagged_for_review).toBe(false)
    expect(await node().services.order_rules.show(test)).toMatchObject({
      version: 0,
      applied: null,
    })
  })

  it('store their version with each order, except the defaults', async () => {
    const owner = await openShop()
    const before = await score(owner, at(BERLIN))
    await apply(owner, DEAF)
    const after = await score(owner, at(BERLIN))
    expect(await assessmentOf(owner, before)).not.toContain('rules_version')
    expect(JSON.parse(await assessmentOf(owner, after))).toMatchObject({ rules_version: 1 })
  })

  it('are active immediately on the node that applied them and soon on others', async () => {
    const owner = await openShop()
    expect((await score(owner, at(TOKYO), node(1))).risk.flagged_for_review).toBe(true)
    await apply(owner, DEAF)
    const next = newOrder({ external_id: 'traveler', ...BERLIN })
    expect((await score(owner, next)).risk.flagged_for_review).toBe(false)
    await expect
      .poll(async () => (await node(1).services.order_rules.active(owner)).version, {
        timeout: 10_000,
      })
      .toBe(1)
    expect((await score(owner, at(TOKYO), node(1))).risk.flagged_for_review).toBe(false)
  })

  it('can be rolled back, also to the defaults', async () => {
    const owner = await openShop()
    const { order_rules } = node().services
    await apply(owner, DEAF)
    await apply(owner, { weights: { velocity: 0.1 } })
    const back = async (version: number, base_version: number) =>
      await order_rules.rollBack(owner, version, { base_version, note: 'no', by: 'cli' })
    expect(await back(1, 2)).toMatchObject({ version: 3 })
    expect((await score(owner, at(TOKYO))).risk.flagged_for_review).toBe(false)
    expect(await back(0, 3)).toEqual({
      version: 4,
      changes: [{ section: 'weights', name: 'location_anomaly', from: 0, to: 0.8 }],
      custom_changes: [],
    })
    expect((await score(owner, at(BERLIN))).risk.flagged_for_review).toBe(true)
    expect(await back(4, 4)).toEqual({ refused: 'version', active: 4 })
    expect(await back(7, 4)).toEqual({ refused: 'version', active: 4 })
    const versions = await order_rules.listVersions(owner, { limit: 10 })
    expect(versions.map(({ version, rolled_back_to }) => [version, rolled_back_to])).toEqual([
      [4, 0],
      [3, 1],
      [2, null],
      [1, null],
    ])
  })

  it('are applied by only one of several concurrent callers', async () => {
    const owner = await openShop()
    const by = { base_version: 0, note: null, by: 'cli' }
    const given = [0.1, 0.2, 0.3, 0.4].map((velocity) =>
      readOrderParameters({ weights: { velocity } }),
    )
    const results = await Promise.all(
      given.map(
        async (parameters, index) =>
          await node(index % 2 === 0 ? 0 : 1).services.order_rules.apply(owner, parameters, by),
      ),
    )
    expect(results.filter((result) => !('refused' in result))).toHaveLength(1)
    expect(results.filter((result) => 'refused' in result)).toEqual(
      Array.from({ length: 3 }, () => ({ refused: 'base_version', active: 1 })),
    )
    await node().applyChanges()
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from audit_log
      where org_id = ${owner.org_id} and action = 'rules.applied'`.execute(node().stores.db)
    expect(rows).toEqual([{ count: 1 }])
  })

  it('explain the orders that they scored after others became active', async () => {
    const owner = await openShop()
    await apply(owner, { weights: { location_anomaly: 0.95 }, history: { known_orders: 1 } })
    const scored = await score(owner, at(TOKYO))
    await apply(owner, DEAF)
    const [explained] = await findExplainedOrders(node().stores.db, scored.order.id, owner)
    const part = explained?.signals.find(({ signal }) => signal === 'location_anomaly')
    expect(part).toMatchObject({ weight: 0.95 })
    expect(part?.share).toBeGreaterThan(0.9)
    expect(explained?.is_of_new_organization).toBe(false)
    expect(explained?.order.rules_version).toBe(1)
  })

  it('are reproduced bit for bit by a replay of orders and decisions', async () => {
    const owner = await openShop()
    const send = async (name: string) => {
      const orders = Array.from({ length: 120 }, (_, index) => orderOf(name, index))
      return await Promise.all(
        orders.map(
          async (order, index) => await score(owner, order, node(index % 2 === 0 ? 0 : 1)),
        ),
      )
    }
    const decide = async (scored: ScoredOrder[]) => {
      const flagged = scored.filter(({ risk }) => risk.flagged_for_review).slice(0, 8)
      expect(flagged.length).toBeGreaterThan(2)
      for (const { order } of flagged) {
        const decision = { decision: 'legitimate', by: 'reviewer' } as const
        await node(1).services.reviews.decide(order.id, owner, decision)
      }
    }
    const first = await send('first')
    await apply(owner, { history: { held_back_score: 30 }, amounts: { half_surprise: 2 } })
    await decide(first)
    const second = await send('second')
    await apply(owner, { history: { held_back_score: 90 } }, node(1))
    await decide(second)
    await send('third')
    const comparison = await compareWithFold(node().stores, owner.org_id)
    expect(comparison).toMatchObject({
      wrong_seqs: [],
      wrong_scores: [],
      wrong_states: [],
      orders: 361,
    })
  })

  it('decide which device pattern an upsert of a profile names', async () => {
    const { org_id, keys } = await node().createTenant()
    const upsert = async (fingerprint_hash: string) => {
      const answer = await node().call<{ device_anomaly: string | null }>({
        method: 'POST',
        path: '/v1/profiles',
        key: keys.live_secret,
        body: { external_id: 'customer', fingerprint_hash },
      })
      return answer.body.content.device_anomaly
    }
    const many = async (name: string) => {
      let last: string | null = null
      for (let n = 0; n < 8; n += 1) last = await upsert(`${name}-${n}`)
      return last
    }
    expect(await many('before')).not.toBeNull()
    await apply({ org_id, mode: 'live' }, { devices: { anomaly_score: 100 } })
    expect(await many('after')).toBeNull()
  })
})

describe('the cache of active rules', () => {
  const store = () => node().stores.db

  it('is read again when it is stale, once for all concurrent callers', async () => {
    const owner = await openShop()
    const cache = createActiveRulesCache({ db: store(), fresh_ms: 0, stale_ms: 0 })
    expect((await cache.of(owner)).version).toBe(0)
    await apply(owner, DEAF)
    const reads = [cache.of(owner), cache.of(owner)]
    expect(reads[0]).toBe(reads[1])
    expect((await reads[0])?.version).toBe(1)
  })

  it('answers without waiting while it is fresh', async () => {
    const owner = await openShop()
    const cache = createActiveRulesCache({ db: store(), fresh_ms: 1e9 })
    await cache.of(owner)
    expect(cache.of(owner)).toMatchObject({ version: 0 })
    expect(cache.learn(owner, { version: 3, overrides: DEAF, custom_rules: [] })).toMatchObject({
      version: 3,
    })
    expect(cache.of(owner)).toMatchObject({ version: 3, parameters: DEAF })
  })

  it('ignores an older version that arrives late', async () => {
    const owner = await openShop()
    const cache = createActiveRulesCache({ db: store(), fresh_ms: 0, stale_ms: 0 })
    const late = cache.of(owner)
    cache.learn(owner, { version: 2, overrides: DEAF, custom_rules: [] })
    expect((await late).version).toBe(2)
  })

  it('stores nothing after a failure and reads again', async () => {
    const owner = await openShop()
    let isDown = true
    const db = new Proxy(store(), {
      get: (target, name) => {
        if (isDown && name === 'getExecutor') throw new Error('unavailable')
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? (value.bind(target) as unknown) : value
      },
    })
    const cache = createActiveRulesCache({ db })
    await expect(Promise.resolve(cache.of(owner))).rejects.toThrow('unavailable')
    isDown = false
    expect((await cache.of(owner)).version).toBe(0)
  })

  it('is limited in size', async () => {
    const owners: Owner[] = []
    for (let n = 0; n < 3; n += 1) owners.push(await openShop())
    const cache = createActiveRulesCache({ db: store(), fresh_ms: 1e9, owners_max: 2 })
    for (const owner of owners) await cache.of(owner)
    expect(owners.map((owner) => cache.of(owner) instanceof Promise)).toEqual([true, false, false])
  })
})

it('an organization with the default rules stores no rules version', async () => {
  const { org_id } = await node().createTenant()
  const owner: Owner = { org_id, mode: 'live' }
  const [past] = pastOrders(1, new Date('2026-03-02T00:00:00Z'), { external_id: 'customer' })
  const stored = JSON.parse(await assessmentOf(owner, await score(owner, past))) as object
  expect(Object.keys(stored)).toEqual(['context', 'signals'])
})
