/** Requests, responses and effects of profile upserts (specification, "Profile"). */

import { describe, expect, it } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../src/platform/time-units.ts'
import { useHarness } from '../harness.ts'
import { invalid, success } from '../support/answers.ts'
import { countRows } from '../support/books.ts'
import { newOrder, settableClock, useOrders } from '../support/orders.ts'

const START = new Date('2026-03-02T12:00:00Z')

const clock = settableClock(START)
const harness = useHarness({ clock })
const { order, profile } = useOrders(harness)

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string
const liveKey = async () => (await harness().createTenant()).keys.live_secret

describe('POST /profiles', () => {
  it('OP-10: returns the record and the outcome and nothing else', async () => {
    const { status, body } = await profile(await liveKey(), { external_id: 'customer-1' })
    expect({ status, body }).toEqual(
      success('Profile upserted', {
        profile: {
          id: UUID,
          external_id: 'customer-1',
          profile_type: 'customer',
          status: 'active',
          risk_score: 0,
          risk_level: 'low',
          device_count: 0,
          total_orders: 0,
        },
        is_new: true,
        device_linked: false,
        device_anomaly: null,
      }),
    )
  })

  it.each([
    ['external_id', 'x'],
    ['external_id', 'x'.repeat(512)],
    ['external_id', '\u{1f642}'.repeat(512)],
    ['external_id', ' Zoë/1?&"\'<>\\ '],
    ['profile_type', 'customer'],
    ['profile_type', 'cashier'],
    ['profile_type', 'employee'],
    ['profile_type', 'system'],
    ['fingerprint_hash', 'f'.repeat(1024)],
    ['ip_hash', 'i'],
    ['country_code', 'DE'],
    ['country_code', 'de'],
    ['latitude', -90],
    ['latitude', 90],
    ['longitude', -180],
    ['longitude', 180],
    ['unheard_of', { any: 'thing' }],
    ['profile_type', null],
    ['country_code', null],
    ['latitude', null],
    ['ip_hash', null],
    ['fingerprint_hash', ''],
  ])('accepts %s %j', async (name, value) => {
    const sent = { external_id: 'customer-1', [name]: value }
    const { status, body } = await profile(await liveKey(), sent)
    expect(status).toBe(200)
    const { external_id, profile_type } = sent as Record<string, unknown>
    const expected = { external_id, profile_type: profile_type ?? 'customer' }
    expect(body.content.profile).toMatchObject(expected)
    expect(Object.keys(body.content.profile)).toHaveLength(8)
  })

  it.each([
    ['external_id', undefined],
    ['external_id', ''],
    ['external_id', 'x'.repeat(513)],
    ['external_id', 5],
    ['external_id', null],
    ['profile_type', 'Customer'],
    ['profile_type', ''],
    ['fingerprint_hash', 'f'.repeat(1025)],
    ['ip_hash', 7],
    ['country_code', 'DEU'],
    ['country_code', 'D1'],
    ['country_code', ''],
    ['latitude', 90.000_001],
    ['latitude', -91],
    ['latitude', '52.5'],
    ['longitude', 180.5],
    ['longitude', -181],
  ])('refuses %s %j by name and stores nothing', async (field, value) => {
    const { keys, org_id } = await harness().createTenant()
    const before = await countRows(harness().stores.db, org_id)
    const { status, body } = await profile(keys.live_secret, { external_id: 'x', [field]: value })
    expect(status).toBe(400)
    expect(body).toEqual(invalid(field))
    expect(await countRows(harness().stores.db, org_id)).toEqual(before)
  })

  it('is free', async () => {
    const { keys, org_id } = await harness().createTenant()
    await profile(keys.live_secret, { external_id: 'customer-1', fingerprint_hash: 'f' })
    const rows = await countRows(harness().stores.db, org_id)
    expect(rows).toMatchObject({ profiles: 1, usage_events: 0, events: 0 })
    expect((await harness().services.billing.funds(org_id))?.available_credits).toBe(0)
  })
})

describe('an existing profile', () => {
  it('is updated under its id and is not new', async () => {
    const { keys, org_id } = await harness().createTenant()
    const first = await profile(keys.live_secret, { external_id: 'customer-1' })
    const update = { external_id: 'customer-1', profile_type: 'employee' }
    const again = await profile(keys.live_secret, update)
    expect(again.body.content).toEqual({
      ...first.body.content,
      profile: { ...first.body.content.profile, profile_type: 'employee' },
      is_new: false,
    })
    expect((await countRows(harness().stores.db, org_id))['profiles']).toBe(1)
  })

  it('keeps omitted fields', async () => {
    const { keys, org_id } = await harness().createTenant()
    await profile(keys.live_secret, {
      external_id: 'cashier-7',
      profile_type: 'cashier',
      fingerprint_hash: 'f',
      country_code: 'at',
    })
    const again = await profile(keys.live_secret, { external_id: 'cashier-7' })
    expect(again.body.content).toMatchObject({
      profile: { profile_type: 'cashier', device_count: 1 },
      is_new: false,
      device_linked: false,
    })
    expect(await profileState(org_id)).toMatchObject({ country_code: 'AT' })
  })

  it('was last seen at its last upsert or order', async () => {
    const { keys, org_id } = await harness().createTenant()
    const seen = async () => (await profileState(org_id)).last_seen_at
    await profile(keys.live_secret, { external_id: 'customer-1' })
    expect(await seen()).toBe(clock.now().getTime())
    clock.advance(HOUR_MS)
    await profile(keys.live_secret, { external_id: 'customer-1' })
    const upserted = clock.now()
    expect(await seen()).toBe(upserted.getTime())
    clock.advance(HOUR_MS)
    await order(keys.live_secret, newOrder({ external_id: 'customer-1' }))
    expect(await seen()).toBe(clock.now().getTime())
    // A late order does not move the time back.
    const ordered_at = upserted.toISOString()
    await order(keys.live_secret, newOrder({ external_id: 'customer-1', ordered_at }))
    expect(await seen()).toBe(clock.now().getTime())
  })

  it('OP-49: is seen in the future only within minutes of clock difference', async () => {
    const { keys, org_id } = await harness().createTenant()
    const now = clock.now().getTime()
    const seenAfter = async (aheadMs: number) => {
      const ordered_at = new Date(now + aheadMs).toISOString()
      await order(keys.live_secret, newOrder({ external_id: 'customer-1', ordered_at }))
      return (await profileState(org_id)).last_seen_at - now
    }
    expect(await seenAfter(1000 * HOUR_MS)).toBe(0)
    expect(await seenAfter(6 * MINUTE_MS)).toBe(0)
    expect(await seenAfter(4 * MINUTE_MS)).toBe(4 * MINUTE_MS)
  })

  it('OP-51: can be a customer that an order created', async () => {
    const { keys } = await harness().createTenant()
    await order(keys.live_secret, newOrder({ external_id: 'by-order', fingerprint_hash: 'f' }))
    const { body } = await profile(keys.live_secret, { external_id: 'by-order' })
    expect(body.content).toMatchObject({
      profile: { profile_type: 'customer', total_orders: 1, device_count: 1 },
      is_new: false,
    })
  })

  it('counts each order once, also when repeated', async () => {
    const key = await liveKey()
    const first = newOrder({ external_id: 'customer-1' })
    for (const body of [first, first, newOrder({ external_id: 'customer-1' })]) {
      await order(key, body)
    }
    await order(key, newOrder({ external_id: 'customer-2' }))
    await order(key, newOrder())
    const { body } = await profile(key, { external_id: 'customer-1' })
    expect(body.content.profile.total_orders).toBe(2)
  })

  it('is new for only one of many concurrent upserts', async () => {
    const { keys, org_id } = await harness().createTenant()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        profile(keys.live_secret, { external_id: 'same', fingerprint_hash: `device-${n % 2}` }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(answers.filter(({ body }) => body.content.is_new)).toHaveLength(1)
    expect(new Set(answers.map(({ body }) => body.content.profile.id)).size).toBe(1)
    const { body } = await profile(keys.live_secret, { external_id: 'same' })
    expect(body.content.profile.device_count).toBe(2)
    expect((await countRows(harness().stores.db, org_id))['profiles']).toBe(1)
  })

  it('is separate in the other mode and in another organization', async () => {
    const [one, two] = [await harness().createTenant(), await harness().createTenant()]
    const answers = []
    for (const key of [one.keys.live_secret, one.keys.test_secret, two.keys.live_secret]) {
      answers.push(await profile(key, { external_id: 'same', fingerprint_hash: 'f' }))
    }
    expect(answers.map(({ body }) => body.content.is_new)).toEqual([true, true, true])
    expect(new Set(answers.map(({ body }) => body.content.profile.id)).size).toBe(3)
  })
})

describe('a device', () => {
  it('OP-50: is linked when sent and counted when new for the profile', async () => {
    const key = await liveKey()
    const counts = []
    for (const fingerprint_hash of ['one', 'one', 'two', 'one', undefined]) {
      const { body } = await profile(key, { external_id: 'customer-1', fingerprint_hash })
      const { profile: record, device_linked, device_anomaly } = body.content
      counts.push([device_linked, record.device_count, device_anomaly])
    }
    expect(counts).toEqual([
      [true, 1, null],
      [true, 1, null],
      [true, 2, null],
      [true, 2, null],
      [false, 2, null],
    ])
  })

  it('shared by many profiles is an anomaly for the last ones', async () => {
    const key = await liveKey()
    const anomalies = []
    for (let n = 0; n < 8; n += 1) {
      const { body } = await profile(key, { external_id: `c-${n}`, fingerprint_hash: 'farm' })
      anomalies.push(body.content.device_anomaly)
    }
    expect(anomalies.slice(0, 2)).toEqual([null, null])
    expect(anomalies.at(-1)).toBe('shared_device')
  })

  it('in a series of new ones is an anomaly', async () => {
    const key = await liveKey()
    const anomalies = []
    for (let n = 0; n < 5; n += 1) {
      const { body } = await profile(key, { external_id: 'hopper', fingerprint_hash: `new-${n}` })
      anomalies.push(body.content.device_anomaly)
    }
    expect(anomalies[0]).toBe(null)
    expect(anomalies.at(-1)).toBe('rapid_device_change')
  })

  it('that was used for confirmed fraud is an anomaly for every profile', async () => {
    const { keys, org_id } = await harness().createTenant()
    const fraud = newOrder({ external_id: 'thief', fingerprint_hash: 'stolen' })
    await order(keys.live_secret, fraud)
    const decision = { decision: 'confirmed_fraud', by: 'test' } as const
    const scope = { org_id, mode: 'live' } as const
    const id = String(fraud['external_order_id'])
    expect(await harness().services.reviews.decide(id, scope, decision)).toMatchObject({
      changed: true,
    })
    const sent = { external_id: 'next', fingerprint_hash: 'stolen' }
    expect((await profile(keys.live_secret, sent)).body.content.device_anomaly).toBe(
      'flagged_device',
    )
    expect((await profile(keys.test_secret, sent)).body.content.device_anomaly).toBe(null)
  })

  it('of the shop is no anomaly for its staff', async () => {
    const key = await liveKey()
    for (let n = 0; n < 12; n += 1) {
      const staff = { external_id: `cashier-${n}`, profile_type: 'cashier' }
      const { body } = await profile(key, { ...staff, fingerprint_hash: 'till' })
      expect(body.content.device_anomaly).toBe(null)
    }
  })
})

describe('the risk of a profile', () => {
  it('follows its orders, with score and level in agreement', async () => {
    const key = await liveKey()
    const bodies = Array.from({ length: 12 }, () => newOrder({ external_id: 'burst' }))
    for (const body of bodies) await order(key, body)
    const { body } = await profile(key, { external_id: 'burst' })
    expect(body.content.profile.risk_score).toBeGreaterThanOrEqual(50)
    expect(['high', 'critical']).toContain(body.content.profile.risk_level)
    const calm = await profile(key, { external_id: 'calm' })
    expect(calm.body.content.profile).toMatchObject({ risk_score: 0, risk_level: 'low' })
  })
})

type State = { last_seen_at: number; country_code: string | null }

/** Reads the only profile of the organization. */
async function profileState(orgId: string): Promise<State> {
  const { state_text } = await harness()
    .stores.db.selectFrom('states')
    .select('state_text')
    .where('org_id', '=', orgId)
    .where('kind', '=', 'profile')
    .executeTakeFirstOrThrow()
  return JSON.parse(state_text ?? '') as State
}
