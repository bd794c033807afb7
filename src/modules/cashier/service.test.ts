import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { eventsOf } from '../../../test/support/books.ts'
import { createKeyedHash } from '../../platform/crypto/keyed-hash.ts'
import { createIds } from '../../platform/ids.ts'
import { createLane, createStateId, readStates } from '../../platform/states/index.ts'
import { NO_CUSTOM_RULES } from '../custom-rules/index.ts'
import type { CashierRequest } from './schema.ts'
import { INDEX } from './scoring/counts.ts'
import type { CashierState } from './scoring/states.ts'
import { createCashier } from './service.ts'
import type { SoldOrder } from './step.ts'

const db = testDatabase()
const NOW = new Date('2026-03-02T12:00:00Z')
const stateId = createStateId(createKeyedHash(Buffer.alloc(32, 7)))

function open(orders: Record<string, SoldOrder> = {}) {
  const lane = createLane({ db, states_in_memory_max: 1000 })
  return createCashier({
    lists: { entries: () => ({ version: 0, size: 0, match: () => [] }) },
    rules: {
      active: () => ({ version: 0, custom: NO_CUSTOM_RULES }),
      switchOffSlow: () => undefined,
    },
    db,
    lane,
    clock: { now: () => NOW },
    newId: createIds(),
    stateId,
    soldOrders: {
      name: 'sold orders',
      read: (_, names) =>
        Promise.resolve(names.map(({ external_order_id }) => orders[external_order_id])),
    },
    localHour: (time) => time.getUTCHours(),
  })
}

const owner = () => ({ org_id: randomUUID(), mode: 'live' as const })

const action = (more: Partial<CashierRequest> = {}): CashierRequest => ({
  cashier_external_id: 'ann',
  action_type: 'void',
  ...more,
})

const actionsOf = async (orgId: string) =>
  await db.selectFrom('cashier_actions').selectAll().where('org_id', '=', orgId).execute()

const SOLD: SoldOrder = {
  cashier_external_id: 'ann',
  amount_cents: 3000,
  currency: 'EUR',
  is_cash: true,
  ordered_at: new Date(NOW.getTime() - 3_600_000),
}

describe('a cashier action', () => {
  it('returns its record and is stored as sent', async () => {
    const who = owner()
    const request = action({ amount_cents: 4990, edge_device_id: 'pos-1', reason: 'Wrong item' })
    const { action: record, fraud } = await open().record(who, request)
    expect(record).toEqual({
      id: record.id,
      action_type: 'void',
      amount_cents: 4990,
      performed_at: NOW.toISOString(),
    })
    expect(fraud).toMatchObject({ risk_score: 0, risk_level: 'low', flags: [] })
    expect(await actionsOf(who.org_id)).toMatchObject([
      { id: record.id, request, fraud, amount_cents: 4990, action_hash: null },
    ])
  })

  it('has null for an amount that was not sent, and stores an amount of 0', async () => {
    const who = owner()
    const cashier = open()
    const without = await cashier.record(who, action({ action_type: 'no_sale' }))
    const nothing = await cashier.record(who, action({ amount_cents: 0 }))
    expect([without, nothing].map((each) => each.action.amount_cents)).toEqual([null, 0])
    const stored = await actionsOf(who.org_id)
    expect(new Set(stored.map(({ amount_cents }) => amount_cents))).toEqual(new Set([null, 0]))
  })

  it('with performed_at is recorded once when it is repeated, even concurrently', async () => {
    const who = owner()
    const cashier = open()
    const request = action({ performed_at: '2026-03-02T11:59:00Z' })
    const answers = await Promise.all([1, 2, 3].map(() => cashier.record(who, { ...request })))
    expect(new Set(answers.map((each) => each.action.id)).size).toBe(1)
    expect(await open().record(who, request)).toEqual(answers[0])
    expect(await actionsOf(who.org_id)).toHaveLength(1)
  })

  it('without performed_at, or with any difference such as the mode, counts each time', async () => {
    const who = owner()
    const cashier = open()
    const timed = action({ performed_at: '2026-03-02T11:59:00Z' })
    await cashier.record(who, action())
    await cashier.record(who, action())
    await cashier.record(who, timed)
    await cashier.record(who, { ...timed, reason: 'Another' })
    await cashier.record({ ...who, mode: 'test' }, timed)
    expect(await actionsOf(who.org_id)).toHaveLength(5)
  })

  it('emits cashier.fraud.detected and enters the review queue once when it is flagged', async () => {
    const who = owner()
    const cashier = open()
    const request = action({
      action_type: 'refund',
      amount_cents: 5000,
      order_external_id: 'unknown order',
      performed_at: '2026-03-02T11:00:00Z',
    })
    const recorded = await cashier.record(who, request)
    await cashier.record(who, request)
    expect(recorded.fraud.flags).toEqual(['round_number_refund'])
    const events = await eventsOf(db, who.org_id)
    expect(events.map(({ type }) => type)).toEqual(['cashier.fraud.detected'])
    expect(JSON.parse(events[0]?.body ?? '')).toMatchObject({ data: recorded })
    const reviews = await db
      .selectFrom('reviews')
      .selectAll()
      .where('org_id', '=', who.org_id)
      .execute()
    expect(reviews).toMatchObject([
      {
        subject: 'cashier_action',
        subject_id: recorded.action.id,
        external_id: 'ann',
        flags: ['round_number_refund'],
      },
    ])
    expect(reviews[0]?.reason).toContain('the named order is unknown')
  })

  it('sees earlier refunds of its order, even one sent at the same time', async () => {
    const who = owner()
    const cashier = open({ 'order-1': SOLD })
    const refund = action({
      action_type: 'refund',
      amount_cents: 2345,
      order_external_id: 'order-1',
    })
    const scored = await Promise.all([
      cashier.record(who, refund),
      cashier.record(who, { ...refund, amount_cents: 2346 }),
    ])
    expect(scored.flatMap(({ fraud }) => fraud.flags)).toEqual(['excessive_refunds'])
  })

  it('is not lost among many concurrent ones, and each counts', async () => {
    const who = owner()
    const cashier = open()
    const many = Array.from({ length: 60 }, (_, index) =>
      cashier.record(who, action({ cashier_external_id: `cashier ${index % 5}` })),
    )
    const answers = await Promise.all(many)
    expect(new Set(answers.map((each) => each.action.id)).size).toBe(60)
    const id = stateId(who, 'cashier', 'cashier 0')
    const states = await readStates(db, [{ org_id: who.org_id, id }], false)
    const state = states.get(id)?.state as CashierState | undefined
    expect(state?.till?.week[INDEX.void]).toBe(12)
  })

  it('is refused with an invalid time', async () => {
    const request = action({ performed_at: '2026-12-32T23:59:59Z' })
    await expect(open().record(owner(), request)).rejects.toMatchObject({ status: 400 })
  })
})
