import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTown } from '../../../../test/support/town.ts'
import { ACTION_TYPES, type ActionFacts, type ActionType, type MatchedOrder } from './facts.ts'
import { CASHIER_PARAMETERS, CASHIER_SIGNALS } from './parameters.ts'
import { CASHIER_FLAGS, scoreAction } from './scoring.ts'

const NOW = Date.UTC(2026, 2, 2, 8)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const order = (more: Partial<MatchedOrder> = {}): MatchedOrder => ({
  cashier: 'same',
  amount_cents: 4000,
  currency: 'EUR',
  refunded_cents: 0,
  is_cash: false,
  ordered_at_ms: NOW - HOUR,
  ...more,
})

const facts = (more: Partial<ActionFacts> = {}): ActionFacts => ({
  cashier_id: 'ann',
  action_type: 'void',
  edge_device_id: undefined,
  location: 'organization',
  amount_cents: undefined,
  performed_at_ms: NOW,
  local_hour: 12,
  order: undefined,
  ...more,
})

const NO_STATES = { cashier: undefined, till: undefined, store: undefined, organization: undefined }

describe('an action', () => {
  it('has seven integer signals and their flags, and is deterministic', () => {
    const step = fc.record({
      cashier: fc.constantFrom('ann', 'bob', 'carl'),
      till: fc.constantFrom('t1', 't2', undefined),
      type: fc.constantFrom('sale' as const, ...ACTION_TYPES),
      after_ms: fc.integer({ min: -3 * DAY, max: 3 * DAY }),
      amount_cents: fc.option(fc.constantFrom(0, 999, 5000, Number.MAX_SAFE_INTEGER), {
        nil: undefined,
      }),
      order: fc.constantFrom(
        undefined,
        null,
        order(),
        order({ cashier: 'other', refunded_cents: 5000 }),
      ),
    })
    type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
    const play = (steps: readonly Step[], isThroughJson: boolean) => {
      const town = createTown(isThroughJson)
      let at = NOW
      return steps.map(({ cashier, till, type, after_ms, amount_cents, order: found }) => {
        at += after_ms
        if (type === 'sale')
          return town.sale(cashier, { at, till, amount_cents: amount_cents ?? 1250 })
        return town.act(cashier, type, { at, till, amount_cents, order: found, now: NOW + 5 * DAY })
      })
    }
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const scored = play(steps, false)
        expect(play(steps, true)).toEqual(scored)
        for (const each of scored) {
          if (each === undefined) continue
          const { signals, flags, risk_score } = each.fraud
          expect(Object.keys(signals)).toEqual([...CASHIER_SIGNALS])
          for (const value of [...Object.values(signals), risk_score]) {
            expect(Number.isInteger(value) && value >= 0 && value <= 100).toBe(true)
          }
          expect(CASHIER_FLAGS).toEqual(expect.arrayContaining(flags))
          expect(each.is_detected).toBe(flags.length > 0)
        }
      }),
      { numRuns: 150 },
    )
  })

  it('does not modify its input states', () => {
    const town = createTown(false)
    town.sale('ann', { at: NOW })
    const states = { ...NO_STATES, cashier: town.cashier('ann') }
    const before = JSON.stringify(states)
    scoreAction(facts(), states, NOW, CASHIER_PARAMETERS)
    expect(JSON.stringify(states)).toBe(before)
  })

  it('from the future counts as now', () => {
    const { next } = scoreAction(
      facts({ performed_at_ms: NOW + 90 * DAY }),
      NO_STATES,
      NOW,
      CASHIER_PARAMETERS,
    )
    expect(next.cashier?.latest_at).toBe(NOW)
  })

  it.each(ACTION_TYPES.filter((type) => type !== 'cash_pickup'))(
    'of type %s has no flag when it is the only one',
    (type: ActionType) => {
      const scored = scoreAction(facts({ action_type: type }), NO_STATES, NOW, CASHIER_PARAMETERS)
      expect(scored.fraud.flags).toEqual([])
      expect(scored.fraud.risk_level).toBe('low')
    },
  )

  it('keeps states small after any sequence of events', () => {
    const town = createTown(false)
    for (let index = 0; index < 3000; index += 1) {
      const at = NOW + index * 7 * MINUTE
      const cashier = `cashier ${index % 60}`
      town.sale(cashier, {
        at,
        till: `till ${index % 40}`,
        customer: `c${index}`,
        discount: 'override',
      })
      const type = ACTION_TYPES[index % ACTION_TYPES.length] ?? 'void'
      town.act(cashier, type, { at: at + MINUTE, till: `till ${index % 40}`, amount_cents: index })
    }
    expect(JSON.stringify(town.cashier('cashier 7')).length).toBeLessThan(1800)
    expect(town.largestStore()).toBeLessThan(6000)
  })
})

describe('a refund of a round amount', () => {
  const refund = (more: Partial<ActionFacts>) =>
    scoreAction(
      facts({ action_type: 'refund', amount_cents: 5000, ...more }),
      NO_STATES,
      NOW,
      CASHIER_PARAMETERS,
    ).fraud

  it.each([
    ['an unknown order', null],
    ['more than was paid', order({ amount_cents: 6000, refunded_cents: 4000 })],
    ['an old order', order({ amount_cents: 6000, ordered_at_ms: NOW - 300 * DAY })],
  ])('is flagged for %s', (_, found) => {
    expect(refund({ order: found }).flags).toContain('round_number_refund')
  })

  it.each([4999, 5001, 50_001])('of %d for an order that was never sent counts', (cents) => {
    expect(refund({ order: null, amount_cents: cents }).risk_score).toBeGreaterThan(0)
  })

  it.each([
    ['its order explains it', order({ amount_cents: 5000 })],
    ['it comes without an order for the first time', undefined],
  ])('is not flagged when %s', (_, found) => {
    expect(refund({ order: found }).flags).toEqual([])
  })

  it('is not round in a currency in which such amounts are small change', () => {
    const town = createTown(false)
    for (let index = 0; index < 10; index += 1) {
      town.sale('ann', { at: NOW + index * MINUTE, currency: 'KRW', amount_cents: 12_340 })
    }
    const small = town.act('ann', 'refund', { at: NOW + HOUR, amount_cents: 1000, order: null })
    const large = town.act('ann', 'refund', { at: NOW + HOUR, amount_cents: 50_000, order: null })
    expect(small.fraud.signals.round_number_refund).toBe(0)
    expect(large.fraud.flags).toContain('round_number_refund')
  })

  it('counts little where most prices are round', () => {
    const town = createTown(false)
    for (let index = 0; index < 600; index += 1) {
      town.sale('bob', { at: NOW + index * MINUTE, amount_cents: 2000 })
      if (index === 599) town.sale('ann', { at: NOW + index * MINUTE })
    }
    const scored = town.act('ann', 'refund', {
      at: NOW + 11 * HOUR,
      amount_cents: 2000,
      order: null,
    })
    expect(scored.fraud.flags).toEqual([])
  })

  it('that exceeds the paid amount by half is excessive, round or not', () => {
    const found = order({ amount_cents: 3333, refunded_cents: 3333 })
    expect(refund({ amount_cents: 3333, order: found }).flags).toEqual(['excessive_refunds'])
  })
})

describe('off shift', () => {
  const onShift = (events: [ActionType, number][], type: ActionType, at: number) => {
    const town = createTown(false)
    for (const [event, time] of events) town.act('ann', event, { at: time })
    return town.act('ann', type, { at }).fraud
  }
  const DAY_SHIFT: [ActionType, number][] = [
    ['shift_start', NOW],
    ['shift_end', NOW + 8 * HOUR],
  ]

  it.each(['void', 'refund', 'no_sale', 'drawer_open'] as const)(
    'a %s is 60 to 80, growing with the time since the shift',
    (type) => {
      const soon = onShift(DAY_SHIFT, type, NOW + 8 * HOUR + 11 * MINUTE).signals.off_shift
      const late = onShift(DAY_SHIFT, type, NOW + 14 * HOUR).signals.off_shift
      expect(soon).toBeGreaterThanOrEqual(60)
      expect(late).toBe(80)
      expect(soon).toBeLessThan(late)
    },
  )

  it('is 0 during the shift and for ten minutes after it, in any order of events', () => {
    for (const events of [DAY_SHIFT, DAY_SHIFT.toReversed()]) {
      expect(onShift(events, 'void', NOW + HOUR).signals.off_shift).toBe(0)
      expect(onShift(events, 'void', NOW + 8 * HOUR + 9 * MINUTE).signals.off_shift).toBe(0)
      expect(onShift(events, 'void', NOW + 9 * HOUR).flags).toContain('off_shift_activity')
    }
  })

  it('is the only signal of a cash pickup or drop by a manager', () => {
    for (const type of ['cash_pickup', 'cash_drop'] as const) {
      expect(onShift(DAY_SHIFT, type, NOW + HOUR).risk_score).toBe(0)
      expect(onShift(DAY_SHIFT, type, NOW + 12 * HOUR).flags).toEqual(['off_shift_activity'])
    }
  })

  it('is not flagged when sales show that the clock-in was forgotten', () => {
    const town = createTown(false)
    for (const [event, time] of DAY_SHIFT) town.act('ann', event, { at: time })
    for (let index = 0; index < 5; index += 1) town.sale('ann', { at: NOW + DAY + index * MINUTE })
    expect(town.act('ann', 'void', { at: NOW + DAY + HOUR }).fraud.flags).toEqual([])
  })

  it('is an unusual hour, below the flag, for cashiers without shift events', () => {
    const town = createTown(false)
    for (let day = 0; day < 30; day += 1) {
      for (let hour = 9; hour < 17; hour += 1) {
        town.sale('ann', { at: NOW + day * DAY + hour * HOUR, hour })
      }
    }
    const at = NOW + 30 * DAY + 3 * HOUR
    const night = town.act('ann', 'refund', { at, hour: 3 }).fraud
    expect(night.signals.off_shift).toBe(40)
    expect(night.flags).toEqual([])
    expect(town.act('ann', 'refund', { at: at + 9 * HOUR, hour: 12 }).fraud.signals.off_shift).toBe(
      0,
    )
  })
})

describe('stories of a till', () => {
  /** Four peers and ann, eight days of eighty sales and two voids each. */
  function ordinaryStore() {
    const town = createTown(false)
    const people = ['ann', 'bob', 'carl', 'dora', 'eve']
    for (let day = 0; day < 8; day += 1) {
      for (let sale = 0; sale < 80; sale += 1) {
        const at = NOW + day * DAY + sale * 5 * MINUTE
        for (const cashier of people) {
          town.sale(cashier, { at })
          if (sale % 40 === 20) town.act(cashier, 'void', { at: at + MINUTE })
        }
      }
    }
    return town
  }
  const today = NOW + 8 * DAY

  it('flags ten times the usual voids within the shift, and not two', () => {
    const town = ordinaryStore()
    const flags: number[] = []
    for (let sale = 0; sale < 80; sale += 1) {
      const at = today + sale * 5 * MINUTE
      for (const cashier of ['ann', 'bob', 'carl', 'dora', 'eve']) town.sale(cashier, { at })
      if (sale % 40 === 20) expect(town.act('bob', 'void', { at }).is_detected).toBe(false)
      if (sale % 4 === 3 && town.act('ann', 'void', { at }).is_detected) flags.push(sale)
    }
    expect(flags.length).toBeGreaterThan(0)
  })

  it('flags eight openings of the drawer in two hours without a sale', () => {
    const town = ordinaryStore()
    const flags = Array.from({ length: 8 }, (_, i) =>
      town.act('ann', 'no_sale', { at: today + i * 16 * MINUTE }),
    ).map(({ fraud }) => fraud.flags.includes('drawer_anomaly'))
    expect(flags[0]).toBe(false)
    expect(flags.at(-1)).toBe(true)
  })

  it.each([2_000_001, 2_000_000, 1_999_999])(
    'flags a refund of %d for an unknown order',
    (cents) => {
      const at = today + HOUR
      const scored = ordinaryStore().act('ann', 'refund', { at, amount_cents: cents, order: null })
      expect(scored.is_detected).toBe(true)
    },
  )

  it('flags a round refund without an order when it is large or not the first', () => {
    const at = today + HOUR
    expect(ordinaryStore().act('ann', 'refund', { at, amount_cents: 50_000 }).is_detected).toBe(
      true,
    )
    const town = ordinaryStore()
    const [first, second] = [at, at + HOUR].map((time) =>
      town.act('ann', 'refund', { at: time, amount_cents: 3000 }),
    )
    expect(first?.is_detected).toBe(false)
    expect(second?.is_detected).toBe(true)
  })

  it('does not take a round refund of the order of another cashier for the first', () => {
    const at = today + HOUR
    const town = ordinaryStore()
    const of = { order: order({ cashier: 'other' }), amount_cents: 3000 }
    town.act('ann', 'refund', { at, ...of })
    const next = town.act('ann', 'refund', { at: at + HOUR, amount_cents: 3000 })
    expect(next.measurements.round_number_refund.finding).toBe('round_refund_no_order')
    expect(next.is_detected).toBe(false)
  })
})
