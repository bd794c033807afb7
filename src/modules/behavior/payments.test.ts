import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  assessPaymentChange,
  assessPaymentHopping,
  assessQuantity,
  assessTotal,
  type BasketFact,
  EMPTY_PAYMENTS,
  learnPayment,
  PAYMENTS_PARAMETERS as PARAMETERS,
  type PaymentMethod,
  type PaymentsState,
} from './payments.ts'

const MINUTE = 60_000
const DAY = 1440 * MINUTE
const NOW = Date.UTC(2026, 9, 1)
const NO_ITEMS: BasketFact = { amount_cents: 1000, item_count: undefined, items: [] }

/** Learns one payment a day, the last one a day before `NOW`. */
const paid = (...methods: readonly PaymentMethod[]): PaymentsState =>
  methods.reduce<PaymentsState>(
    (state, method, i) => learnPayment(state, method, NO_ITEMS, NOW - (methods.length - i) * DAY),
    EMPTY_PAYMENTS,
  )
const times = (count: number, method: PaymentMethod): PaymentMethod[] =>
  Array.from({ length: count }, () => method)
const change = (state: PaymentsState | undefined, method: PaymentMethod, isNewDevice = false) =>
  assessPaymentChange(state, method, isNewDevice, PARAMETERS)

describe('a change of the payment method', () => {
  it('after a long habit stands out, most for crypto and not for cash', () => {
    const habit = paid(...times(10, 'card'))
    expect(change(habit, 'crypto')).toMatchObject({
      score: 50,
      finding: 'payment_switch',
      numbers: { method: 'crypto', usual_method: 'card', run: 10 },
    })
    expect(change(habit, 'mobile').score).toBe(20)
    expect(change(habit, 'cash').score).toBe(0)
    expect(change(habit, 'card').score).toBe(0)
  })

  it('does not count without a habit', () => {
    expect(change(paid(...times(9, 'card')), 'crypto').score).toBe(0)
    expect(change(undefined, 'crypto', true).score).toBe(0)
    expect(change(EMPTY_PAYMENTS, 'crypto', true).score).toBe(0)
  })

  it('to crypto on a new device counts without a habit when it is the first', () => {
    expect(change(paid('card'), 'crypto', true)).toMatchObject({
      score: 60,
      finding: 'crypto_new_device',
    })
    expect(change(paid('crypto', 'card'), 'crypto', true).score).toBe(0)
  })

  it('on a new device to an unused method other than cash counts less', () => {
    expect(change(paid('card'), 'mobile', true)).toMatchObject({
      score: 30,
      finding: 'new_method_new_device',
    })
    expect(change(paid('card'), 'cash', true).score).toBe(0)
  })

  it('to a method that was used before counts half', () => {
    expect(change(paid('crypto', ...times(10, 'card')), 'crypto').score).toBe(25)
  })
})

it('more than two methods within an hour are hopping', () => {
  const hop = (count: number, minutes: number): number => {
    let state = EMPTY_PAYMENTS
    for (const method of (['card', 'mobile', 'other', 'crypto'] as const).slice(0, count)) {
      state = learnPayment(state, method, NO_ITEMS, NOW - minutes * MINUTE)
    }
    return assessPaymentHopping(state, 'cash', NOW).score
  }
  expect([0, 1, 2, 3, 4].map((count) => hop(count, 10))).toEqual([0, 15, 60, 75, 85])
  expect(hop(4, 61)).toBe(0)
})

const item = (quantity: number, unit_price_cents: number, total_price_cents: number) => ({
  quantity,
  unit_price_cents,
  total_price_cents,
  discount_cents: 0,
  discount_type: undefined,
})
const total = (amount_cents: number, items: BasketFact['items'], item_count?: number) =>
  assessTotal({ amount_cents, item_count, items }, PARAMETERS)

describe('items and total', () => {
  const basket = [item(2, 5000, 10_000), item(1, 20_000, 20_000)]

  it('can differ by tax, tips, shipping, discounts and vouchers', () => {
    for (const amount_cents of [30_000, 40_500, 50_000, 18_000]) {
      expect(total(amount_cents, basket).score).toBe(0)
    }
    expect(total(5900, [item(1, 1000, 1000)]).score).toBe(0)
    expect(total(0, basket).score).toBe(PARAMETERS.mismatch_score)
  })

  it('stand out when they differ by more than a factor of two in either direction', () => {
    expect(total(90_000, basket)).toMatchObject({
      score: 25,
      finding: 'total_mismatch',
      numbers: { items_cents: 30_000, amount_cents: 90_000 },
    })
    expect(total(14_000, basket).score).toBe(25)
    expect(total(200_000, basket).score).toBe(40)
    expect(total(100, basket).score).toBe(40)
  })

  it('do not question a high total of a partial list', () => {
    expect(total(200_000, basket, 12).score).toBe(0)
    expect(total(200_000, basket, 3).score).toBe(40)
  })

  it('accept discounts per piece or per line, but each line must be near its price', () => {
    const line = (total_price_cents: number, discount_cents: number, discount_type = 'fixed') =>
      total(total_price_cents, [
        { quantity: 4, unit_price_cents: 5000, total_price_cents, discount_cents, discount_type },
      ])
    expect(line(16_000, 1000).score).toBe(0)
    expect(line(19_000, 1000).score).toBe(0)
    expect(line(4000, 4000).score).toBe(0)
    expect(line(5000, 100)).toMatchObject({ score: 25, finding: 'line_mismatch' })
    expect(line(5000, 0, 'override').score).toBe(0)
    expect(line(90_000, 0).score).toBe(25)
  })

  it('can contain returned goods and vouchers, as lines or as payments', () => {
    const voucher = item(1, -25_000, -25_000)
    const returned = item(-1, 20_000, -20_000)
    for (const amount_cents of [5000, 20_000, 30_000]) {
      expect(total(amount_cents, [...basket, voucher]).score).toBe(0)
    }
    expect(total(10_000, [...basket, returned]).score).toBe(0)
    expect(total(0, [...basket, item(1, -30_000, -30_000)]).score).toBe(0)
    expect(total(-20_000, [returned]).score).toBe(0)
    expect(total(-10_000, [item(2, 5000, 10_000), returned]).score).toBe(0)
    expect(total(18_000, [{ ...item(4, 5000, 18_000), discount_cents: -500 }]).score).toBe(0)
  })

  it('are not excused by lines below zero', () => {
    const cancelled = [...basket, item(-1, 30_000, -30_000)]
    expect(total(200_000, cancelled)).toMatchObject({ score: 40, finding: 'total_mismatch' })
    expect(total(200_000, cancelled, 3).score).toBe(40)
    expect(total(1000, [...basket, item(1, -5000, -5000)]).score).toBe(40)
    const wrong = { ...item(4, 5000, 5000), discount_cents: 100 }
    expect(total(3000, [wrong, item(1, -2000, -2000)])).toMatchObject({ finding: 'line_mismatch' })
  })

  it('do not count without items or prices', () => {
    expect(total(5000, []).score).toBe(0)
    expect(total(5000, [item(1, 0, 0)]).score).toBe(0)
  })
})

it('a quantity is huge compared with the profile’s own or, if unknown, in general', () => {
  const bought = (state: PaymentsState | undefined, quantity: number): number =>
    assessQuantity(state, { ...NO_ITEMS, items: [item(quantity, 1, quantity)] }, PARAMETERS).score
  const buyer = learnPayment(EMPTY_PAYMENTS, 'card', { ...NO_ITEMS, items: [item(12, 1, 12)] }, NOW)
  expect(bought(buyer, 119)).toBe(0)
  expect(bought(buyer, 120)).toBe(35)
  expect(bought(undefined, 999)).toBe(0)
  expect(bought(undefined, 1000)).toBe(35)
  const [huge, back] = [item(1000, 1, 1000), item(-1000, 1, -1000)]
  const fact = { ...NO_ITEMS, items: [back, huge, back] }
  expect(assessQuantity(undefined, fact, PARAMETERS).score).toBe(35)
  const wholesaler: PaymentsState = { ...EMPTY_PAYMENTS, pieces_max: 5000 }
  expect(bought(wholesaler, 6000)).toBe(0)
})

describe('learnPayment', () => {
  it('takes the time of use, but not the habit, from a late order', () => {
    const state = paid('card', 'card', 'card')
    const late = learnPayment(state, 'crypto', NO_ITEMS, NOW - 10 * DAY)
    expect(late).toMatchObject({ method: 'card', run: 3 })
    expect(late.used_minute['crypto']).toBe((NOW - 10 * DAY) / MINUTE)
  })

  it('returns the same state for an order without a method', () => {
    const state = paid('card')
    expect(learnPayment(state, undefined, NO_ITEMS, NOW)).toBe(state)
  })

  it('keeps the state small and unchanged by JSON, and scores in range', () => {
    const methods = fc.constantFrom('card', 'cash', 'mobile', 'crypto', 'other', undefined)
    const line = fc.record({
      quantity: fc.integer({ min: -5, max: 2_000_000 }),
      unit_price_cents: fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }),
      total_price_cents: fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }),
      discount_cents: fc.integer({ min: -1_000_000, max: 1_000_000 }),
      discount_type: fc.constantFrom('none', 'override', undefined),
    })
    const basket = fc.record({
      amount_cents: fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }),
      item_count: fc.option(fc.nat(1000), { nil: undefined }),
      items: fc.array(line, { maxLength: 5 }),
    })
    const event = fc.tuple(methods, basket, fc.integer({ min: 0, max: NOW }), fc.boolean())
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let state = EMPTY_PAYMENTS
        for (const [method, fact, at_ms, isNew] of events) {
          for (const { score, finding } of [
            assessPaymentChange(state, method, isNew, PARAMETERS),
            assessPaymentHopping(state, method, at_ms),
            assessTotal(fact, PARAMETERS),
            assessQuantity(state, fact, PARAMETERS),
          ]) {
            expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true)
            expect(finding === null).toBe(score === 0)
          }
          state = learnPayment(Object.freeze(state), method, fact, at_ms)
        }
        expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state)
        expect(JSON.stringify(state).length).toBeLessThan(220)
      }),
    )
  })
})
