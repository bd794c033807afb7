/** Specification, "Cashier action": requests, results, refusals and events. */
import { describe, expect, it } from 'vitest'
import type { RecordedAction } from '../../src/modules/cashier/schema.ts'
import { useHarness } from '../harness.ts'
import { success } from '../support/answers.ts'
import { countRows, usageOf } from '../support/books.ts'
import { eventsSeen, newOrder, settableClock, useOrders } from '../support/orders.ts'

const NOW = new Date('2026-03-02T12:00:00Z')
const harness = useHarness({ clock: settableClock(NOW) })
const { order } = useOrders(harness)

type Body = Record<string, unknown>

const act = async (key: string, body: unknown) =>
  await harness().post<RecordedAction & { field: string }>('/v1/cashier/actions', body, { key })

const action = (more: Body = {}): Body => ({
  cashier_external_id: 'cashier-7',
  action_type: 'void',
  ...more,
})

/** A refund of a round amount, with an unknown order. */
const INVENTED = action({
  action_type: 'refund',
  amount_cents: 5000,
  order_external_id: 'never-sent',
  performed_at: '2026-03-02T11:30:00+01:00',
})

describe('POST /cashier/actions', () => {
  it('OP-53: returns the action and its fraud, free of charge', async () => {
    const { keys, org_id } = await harness().createTenant()
    const { status, body } = await act(keys.live_secret, action({ amount_cents: 1250 }))
    expect({ status, body }).toEqual(
      success('Cashier action recorded', {
        action: {
          id: body.content.action.id,
          action_type: 'void',
          amount_cents: 1250,
          performed_at: NOW.toISOString(),
        },
        fraud: {
          risk_score: 0,
          risk_level: 'low',
          signals: {
            excessive_voids: 0,
            excessive_refunds: 0,
            discount_abuse: 0,
            off_shift: 0,
            velocity_anomaly: 0,
            drawer_anomaly: 0,
            round_number_refund: 0,
          },
          flags: [],
        },
      }),
    )
    expect(await usageOf(harness().stores.db, org_id)).toEqual([])
  })

  it.each([
    ['cashier_external_id', { cashier_external_id: undefined }],
    ['cashier_external_id', { cashier_external_id: 'x'.repeat(513) }],
    ['action_type', { action_type: 'theft' }],
    ['amount_cents', { amount_cents: -Number.MAX_SAFE_INTEGER - 1 }],
    ['amount_cents', { amount_cents: 12.5 }],
    ['reason', { reason: 'x'.repeat(1001) }],
    ['order_external_id', { order_external_id: '' }],
    ['performed_at', { performed_at: '2026-03-02' }],
  ])('OP-48, OP-49: refuses an invalid %s and stores nothing', async (field, more) => {
    const { keys, org_id } = await harness().createTenant()
    const { status, body } = await act(keys.live_secret, action(more))
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'invalid_request', content: { field } })
    const counts = await countRows(harness().stores.db, org_id)
    expect(counts).toMatchObject({ cashier_actions: 0, states: 0 })
  })

  it('OP-48: scores and adds up a refund that is reported below zero like any other', async () => {
    const [above, below] = [await harness().createTenant(), await harness().createTenant()]
    const refund = { ...INVENTED, amount_cents: -5000 }
    const first = await act(above.keys.live_secret, INVENTED)
    const second = await act(below.keys.live_secret, refund)
    expect(second.body.content.action.amount_cents).toBe(-5000)
    expect(second.body.content.fraud).toEqual(first.body.content.fraud)
  })

  it('OP-141: takes null in optional members as left out', async () => {
    const { keys } = await harness().createTenant()
    const names = ['edge_device_id', 'order_external_id', 'amount_cents', 'reason', 'performed_at']
    const nulls = Object.fromEntries(names.map((name) => [name, null]))
    const { status, body } = await act(keys.live_secret, action(nulls))
    expect(status).toBe(200)
    expect(body.content.action).toMatchObject({
      amount_cents: null,
      performed_at: NOW.toISOString(),
    })
  })

  it('accepts a reason of 1000 characters', async () => {
    const { keys } = await harness().createTenant()
    const { status } = await act(keys.live_secret, action({ reason: 'x'.repeat(1000) }))
    expect(status).toBe(200)
  })

  it('OP-52: counts an identical action with performed_at once', async () => {
    const { keys, org_id } = await harness().createTenant()
    const first = await act(keys.live_secret, INVENTED)
    const again = await act(keys.live_secret, { ...INVENTED, ignored: true })
    expect(again.body).toEqual(first.body)
    expect(first.body.content.action.performed_at).toBe('2026-03-02T10:30:00.000Z')
    const counts = await countRows(harness().stores.db, org_id)
    expect(counts).toMatchObject({ cashier_actions: 1, reviews: 1, events: 1 })
  })

  it('finds orders of the same mode: a refund of one is explained, even if it is round', async () => {
    const { keys } = await harness().createTenant()
    const sold = newOrder({ amount_cents: 5000, cashier_external_id: 'cashier-7' })
    await order(keys.live_secret, sold)
    const refund = { ...INVENTED, order_external_id: sold['external_order_id'] }
    const live = await act(keys.live_secret, refund)
    const test = await act(keys.test_secret, refund)
    expect(live.body.content.fraud.flags).toEqual([])
    expect(test.body.content.fraud.flags).toEqual(['round_number_refund'])
  })
})

describe('cashier.fraud.detected', () => {
  it('OP-23: is emitted for an action with flags, with the action and its fraud', async () => {
    const { keys, org_id } = await harness().createTenant()
    await act(keys.live_secret, action())
    const { content } = (await act(keys.live_secret, INVENTED)).body
    expect(content.fraud.flags).toEqual(['round_number_refund'])
    expect(await eventsSeen(harness(), org_id)).toEqual([
      { type: 'cashier.fraud.detected', mode: 'live', data: content },
    ])
  })
})
