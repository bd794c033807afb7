/** Events and reviews that orders and profiles create (specification, "Events"). */

import { describe, expect, it } from 'vitest'
import { DAY_MS, MINUTE_MS } from '../../src/platform/time-units.ts'
import { useHarness } from '../harness.ts'
import {
  type Body,
  eventsSeen,
  newOrder,
  pastOrders,
  settableClock,
  useOrders,
} from '../support/orders.ts'
import { confirmFraud as agreeOnFraud, createVoice } from '../support/voices.ts'

const clock = settableClock(new Date('2026-03-02T12:00:00Z'))
const harness = useHarness({ clock })
const { bulk, order, profile } = useOrders(harness)

const BERLIN = { location_latitude: 52.52, location_longitude: 13.405 }
const TOKYO = { location_latitude: 35.68, location_longitude: 139.69 }

const events = async (orgId: string, type?: string) =>
  (await eventsSeen(harness(), orgId)).filter((event) => type === undefined || event.type === type)

/** An order half the world away from another one within minutes. */
async function travel(key: string, given: Body = {}) {
  const who = { external_id: 'traveler', ...given }
  const first = await order(key, newOrder({ ...who, ...BERLIN }))
  clock.advance(10 * MINUTE_MS)
  const second = await order(key, newOrder({ ...who, ...TOKYO }))
  return { first: first.body.content, second: second.body.content }
}

/** Orders paid by one method after another within minutes. */
async function hop(key: string, given: Body = {}) {
  const scored = []
  for (const payment_method of ['card', 'mobile', 'other', 'crypto']) {
    clock.advance(MINUTE_MS)
    const body = newOrder({ external_id: 'hopper', payment_method, ...given })
    scored.push((await order(key, body)).body.content)
  }
  return scored
}

describe('order.fraud.detected', () => {
  it.each(['live', 'test'] as const)(
    'OP-23: is emitted for an order of 50 or more, with the order and its risk: %s',
    async (mode) => {
      const { keys, org_id } = await harness().createTenant()
      const { first, second } = await travel(keys[`${mode}_secret`])
      expect(first.risk.risk_score).toBeLessThan(50)
      expect(second.risk.risk_score).toBeGreaterThanOrEqual(50)
      expect(await events(org_id, 'order.fraud.detected')).toEqual([
        { type: 'order.fraud.detected', mode, data: second },
      ])
    },
  )

  it('is emitted exactly for orders that are flagged for review', async () => {
    const { keys, org_id } = await harness().createTenant()
    const burst = Array.from({ length: 20 }, () => newOrder({ external_id: 'burst' }))
    const { body } = await bulk(keys.live_secret, burst)
    const scored = body.content.map(({ content }) => content)
    const flagged = scored.filter(({ risk }) => risk.flagged_for_review)
    expect(flagged.length).toBeGreaterThan(0)
    expect(flagged.length).toBeLessThan(scored.length)
    const detected = await events(org_id, 'order.fraud.detected')
    const idOf = (scoredOrder: unknown) => (scoredOrder as (typeof flagged)[0]).order.id
    expect(detected.map(({ data }) => idOf(data)).toSorted()).toEqual(flagged.map(idOf).toSorted())
  })

  it('is not emitted again by a retry', async () => {
    const { keys, org_id } = await harness().createTenant()
    await travel(keys.live_secret)
    const before = await eventsSeen(harness(), org_id)
    const again = newOrder({ external_id: 'traveler', ...BERLIN })
    for (let n = 0; n < 3; n += 1) await order(keys.live_secret, again)
    const after = await eventsSeen(harness(), org_id)
    const times = (seen: typeof before, id: unknown) =>
      seen.filter(({ data }) => JSON.stringify(data).includes(String(id))).length
    expect(times(after, again['external_order_id'])).toBeLessThanOrEqual(1)
    expect(after.slice(0, before.length)).toEqual(before)
  })

  it('is, like all events, not emitted for usual orders', async () => {
    const { keys, org_id } = await harness().createTenant()
    await bulk(keys.live_secret, pastOrders(60, clock.now(), { external_id: 'customer-1' }))
    expect(await events(org_id)).toEqual([])
  })
})

describe('order.fraud.alert', () => {
  it('is created once per profile and pattern in 24 hours, with the order and its risk', async () => {
    const { keys, org_id } = await harness().createTenant()
    const alerts = () => events(org_id, 'order.fraud.alert')
    const scored = await hop(keys.live_secret)
    const first = scored.find(({ risk }) => risk.flags.includes('pattern_anomaly'))
    expect(first).toBeDefined()
    const expected = [{ type: 'order.fraud.alert', mode: 'live', data: first }]
    expect(await alerts()).toEqual(expected)

    clock.advance(23 * 60 * MINUTE_MS)
    const later = await hop(keys.live_secret)
    expect(later.at(-1)?.risk.flags).toContain('pattern_anomaly')
    expect(await alerts()).toEqual(expected)

    clock.advance(2 * DAY_MS)
    await hop(keys.live_secret)
    expect(await alerts()).toHaveLength(2)
  })

  it('is created for each profile, and for each mode', async () => {
    const { keys, org_id } = await harness().createTenant()
    await hop(keys.live_secret, { external_id: 'one' })
    await hop(keys.live_secret, { external_id: 'two' })
    await hop(keys.test_secret, { external_id: 'one' })
    const modes = (await events(org_id, 'order.fraud.alert')).map(({ mode }) => mode)
    expect(modes).toEqual(['live', 'live', 'test'])
  })

  it('is created per device for anonymous orders', async () => {
    const { keys, org_id } = await harness().createTenant()
    // The frauds that two other organizations confirmed are a pattern here.
    for (let n = 0; n < 2; n += 1) {
      const other = await createVoice(harness())
      for (const fingerprint_hash of ['alerts-1', 'alerts-2']) {
        await agreeOnFraud(harness(), other, { fingerprint_hash })
      }
    }
    const ids = []
    for (const fingerprint_hash of ['alerts-1', 'alerts-1', 'alerts-2', 'alerts-2', 'clean']) {
      clock.advance(MINUTE_MS)
      const { body } = await order(keys.live_secret, newOrder({ fingerprint_hash }))
      ids.push(body.content.order.id)
    }
    const alerts = await events(org_id, 'order.fraud.alert')
    expect(alerts.map(({ data }) => (data as { order: { id: string } }).order.id)).toEqual([
      ids[0],
      ids[2],
    ])
  })
})

describe('order.fraud.alert of a terminal or store', () => {
  it.each([
    ['terminal', { edge_device_id: 'till-7' }],
    ['store', { location_name: 'Store 7' }],
  ])('is created per %s with confirmed frauds', async (_, till) => {
    const { keys, org_id } = await harness().createTenant()
    await bulk(keys.live_secret, pastOrders(60, clock.now(), { external_id: 'customer-1' }))
    for (let n = 0; n < 8; n += 1) {
      clock.advance(60 * MINUTE_MS)
      await confirmFraud(keys.live_secret, org_id, till)
    }
    const before = (await events(org_id, 'order.fraud.alert')).length
    clock.advance(2 * DAY_MS)
    const scored = []
    for (let n = 0; n < 3; n += 1) {
      clock.advance(MINUTE_MS)
      scored.push((await order(keys.live_secret, newOrder(till))).body.content)
    }
    const alerts = (await events(org_id, 'order.fraud.alert')).slice(before)
    expect(alerts.map(({ data }) => data)).toEqual([scored[0]])
  })
})

async function confirmFraud(key: string, orgId: string, given: Body): Promise<void> {
  const { body } = await order(key, newOrder(given))
  const scope = { org_id: orgId, mode: 'live' } as const
  const decision = { decision: 'confirmed_fraud', by: 'test' } as const
  const decided = await harness().services.reviews.decide(body.content.order.id, scope, decision)
  expect(decided).toMatchObject({ changed: true })
}

describe('profile.risk.changed', () => {
  it('OP-23: is emitted when the level changes, with the profile and the level before', async () => {
    const { keys, org_id } = await harness().createTenant()
    await travel(keys.live_secret)
    const { body } = await profile(keys.live_secret, { external_id: 'traveler' })
    const { profile: record } = body.content
    expect(record.risk_level).not.toBe('low')
    expect(await events(org_id, 'profile.risk.changed')).toEqual([
      {
        type: 'profile.risk.changed',
        mode: 'live',
        data: { profile: record, previous_risk_level: 'low' },
      },
    ])
  })

  it('does not flap: each level is reported once on the way down', async () => {
    const { keys, org_id } = await harness().createTenant()
    await travel(keys.live_secret)
    for (let day = 0; day < 60; day += 1) {
      clock.advance(DAY_MS)
      await order(keys.live_secret, newOrder({ external_id: 'traveler', ...TOKYO }))
    }
    const changes = (await events(org_id, 'profile.risk.changed')).map(({ data }) => {
      const { profile: record, previous_risk_level } = data as Changed
      return [previous_risk_level, record.risk_level]
    })
    const [up, ...down] = changes
    expect(up?.[0]).toBe('low')
    const LEVELS = ['low', 'medium', 'high', 'critical']
    expect(down.length).toBeGreaterThan(0)
    expect(down.at(-1)?.[1]).toBe('low')
    let level = up?.[1]
    for (const [from, to] of down) {
      expect(from).toBe(level)
      expect(LEVELS.indexOf(to ?? '')).toBeLessThan(LEVELS.indexOf(from ?? ''))
      level = to
    }
  })

  it('is emitted by an upsert when the level has decayed', async () => {
    const { keys, org_id } = await harness().createTenant()
    await travel(keys.live_secret)
    const [up] = await events(org_id, 'profile.risk.changed')
    clock.advance(200 * DAY_MS)
    for (let n = 0; n < 2; n += 1) {
      const { body } = await profile(keys.live_secret, { external_id: 'traveler' })
      const { profile: record } = body.content
      expect(record).toMatchObject({ risk_level: 'low' })
      expect(await events(org_id, 'profile.risk.changed')).toEqual([
        up,
        {
          type: 'profile.risk.changed',
          mode: 'live',
          data: {
            profile: record,
            previous_risk_level: (up?.data as Changed | undefined)?.profile.risk_level,
          },
        },
      ])
    }
  })

  it('is emitted when a decision changes the level', async () => {
    const { keys, org_id } = await harness().createTenant()
    await confirmFraud(keys.live_secret, org_id, { external_id: 'thief' })
    const { body } = await profile(keys.live_secret, { external_id: 'thief' })
    expect(body.content.profile.risk_level).toBe('critical')
    expect(await events(org_id)).toEqual([
      {
        type: 'profile.risk.changed',
        mode: 'live',
        data: { profile: body.content.profile, previous_risk_level: 'low' },
      },
    ])
  })

  it('is not emitted for anonymous orders or an unchanged level', async () => {
    const { keys, org_id } = await harness().createTenant()
    await order(keys.live_secret, newOrder({ external_id: 'calm' }))
    await profile(keys.live_secret, { external_id: 'calm' })
    await order(keys.live_secret, newOrder({ fingerprint_hash: 'f' }))
    expect(await events(org_id)).toEqual([])
  })
})

describe('the review queue', () => {
  it('contains each flagged order and each alert once, and nothing else', async () => {
    const { keys, org_id } = await harness().createTenant()
    await order(keys.live_secret, newOrder({ external_id: 'calm' }))
    const scored = await hop(keys.live_secret)
    const flagged = scored.filter(({ risk }) => risk.flagged_for_review)
    const list = (mode: 'live' | 'test') =>
      harness().services.reviews.list({ org_id, mode, state: 'open', order: 'newest', limit: 50 })
    const { reviews } = await list('live')
    const orders = reviews.filter(({ subject }) => subject === 'order')
    expect(orders.map(({ subject_id }) => subject_id).toSorted()).toEqual(
      flagged.map((one) => one.order.id).toSorted(),
    )
    for (const { order: record, risk } of flagged) {
      expect(orders.find(({ subject_id }) => subject_id === record.id)).toMatchObject({
        external_id: record.external_order_id,
        risk_score: risk.risk_score,
        risk_level: risk.risk_level,
        flags: risk.flags,
        reason: expect.stringMatching(/\w/) as string,
        decision: null,
      })
    }
    const alerts = reviews.filter(({ subject }) => subject === 'alert')
    expect(alerts).toHaveLength(1)
    expect(alerts[0]?.reason).toBe('payment_hopping')
    expect(reviews).toHaveLength(orders.length + 1)
    expect((await list('test')).reviews).toEqual([])
  })
})

type Changed = { profile: { risk_level: string }; previous_risk_level: string }
