/** Short histories of a till for the reasons of cashier actions. Each ends with one action. */
import { explainAction } from '../../src/modules/cashier/explain.ts'
import type { ActionType, MatchedOrder, ScoredAction } from '../../src/modules/cashier/index.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/platform/time-units.ts'
import { createTown, type Town } from './town.ts'

const NOW = Date.UTC(2026, 2, 2, 8)
const TODAY = NOW + 8 * DAY_MS
const PEOPLE = ['ann', 'bob', 'carl', 'dora', 'eve']

/** Four peers and ann, eight days of eighty sales and two voids each. */
function ordinaryStore(currency = 'EUR', discount: 'none' | 'override' = 'none'): Town {
  const town = createTown(false)
  for (let day = 0; day < 8; day += 1) {
    for (let sale = 0; sale < 80; sale += 1) {
      const at = NOW + day * DAY_MS + sale * 5 * MINUTE_MS
      for (const cashier of PEOPLE) {
        const isLoved = cashier === 'ann' && discount === 'override' && sale % 8 === 0
        const extra = isLoved ? { discount, customer: 'friend' } : {}
        town.sale(cashier, { at, currency, ...extra })
        if (sale % 40 === 20) town.act(cashier, 'void', { at: at + MINUTE_MS })
      }
    }
  }
  return town
}

/** The last of many actions by ann on the next day, with sales in between. */
function often(
  type: ActionType,
  times: number,
  some: { amount_cents?: number } = {},
): ScoredAction {
  const town = ordinaryStore()
  for (let i = 1; i < times; i += 1) {
    const at = TODAY + i * 20 * MINUTE_MS
    for (const cashier of PEOPLE) town.sale(cashier, { at: at - 2 * MINUTE_MS })
    town.act('ann', type, { at, ...some })
  }
  return town.act('ann', type, { at: TODAY + times * 20 * MINUTE_MS, ...some })
}

const order = (more: Partial<MatchedOrder> = {}): MatchedOrder => ({
  cashier: 'same',
  amount_cents: 4000,
  currency: 'EUR',
  refunded_cents: 0,
  is_cash: false,
  ordered_at_ms: TODAY - HOUR_MS,
  ...more,
})

const refund = (amount_cents: number, of: MatchedOrder | null | undefined, currency?: string) =>
  ordinaryStore(currency).act('ann', 'refund', { at: TODAY + HOUR_MS, amount_cents, order: of })

/** After a shift from eight to four. */
function afterShift(type: ActionType, at: number): ScoredAction {
  const town = createTown(false)
  town.act('ann', 'shift_start', { at: NOW })
  town.act('ann', 'shift_end', { at: NOW + 8 * HOUR_MS })
  return town.act('ann', type, { at })
}

export type CashierStory = () => ScoredAction

export const CASHIER_STORIES: Readonly<Record<string, CashierStory>> = {
  'an ordinary void': () => ordinaryStore().act('ann', 'void', { at: TODAY + HOUR_MS }),
  'a refund that its order explains': () => refund(3990, order()),
  'twelve voids in a shift': () => often('void', 12),
  'twelve refunds in a shift': () => often('refund', 12, { amount_cents: 1234 }),
  'twelve overrides in a shift': () => often('price_override', 12, { amount_cents: 900 }),
  'eight openings of the drawer without a sale': () => {
    const town = ordinaryStore()
    for (let i = 0; i < 7; i += 1) town.act('ann', 'no_sale', { at: TODAY + i * 16 * MINUTE_MS })
    return town.act('ann', 'no_sale', { at: TODAY + 7 * 16 * MINUTE_MS })
  },
  'six voids within five minutes': () => {
    const town = ordinaryStore()
    for (let i = 0; i < 5; i += 1) town.act('ann', 'void', { at: TODAY + i * 30_000 })
    return town.act('ann', 'void', { at: TODAY + 150_000 })
  },
  'a void right after a cash sale': () => {
    const town = ordinaryStore()
    town.sale('ann', { at: TODAY, is_cash: true })
    return town.act('ann', 'void', { at: TODAY + 30_000, amount_cents: 900 })
  },
  'an opening of the drawer right after a void': () => {
    const town = ordinaryStore()
    town.act('ann', 'void', { at: TODAY })
    return town.act('ann', 'no_sale', { at: TODAY + 20_000 })
  },
  'a round refund for an unknown order': () => refund(50_000, null),
  'a round refund in yen for an unknown order': () => refund(50_000, null, 'JPY'),
  'a round refund without an order': () => refund(50_000, undefined),
  'a nearly round refund without an order': () => refund(50_001, undefined),
  'a round refund of more than its order': () =>
    refund(5000, order({ amount_cents: 6000, refunded_cents: 4000 })),
  'a round refund of the order of another cashier': () => refund(4000, order({ cashier: 'other' })),
  'a round refund of an old order': () =>
    refund(4000, order({ ordered_at_ms: TODAY - 300 * DAY_MS })),
  'a refund for an order that was never sent': () => refund(123_457, null),
  'a refund of twice what was paid': () =>
    refund(3333, order({ amount_cents: 3333, refunded_cents: 3333 })),
  'a void eleven minutes after the shift': () =>
    afterShift('void', NOW + 8 * HOUR_MS + 11 * MINUTE_MS),
  'a void long after the shift': () => afterShift('void', NOW + 14 * HOUR_MS),
  'a void after a shift start that was not sent': () => {
    const town = createTown(false)
    town.act('ann', 'shift_start', { at: NOW })
    town.act('ann', 'shift_end', { at: NOW + 8 * HOUR_MS })
    for (let i = 0; i < 5; i += 1) town.sale('ann', { at: NOW + DAY_MS + i * MINUTE_MS })
    return town.act('ann', 'void', { at: NOW + DAY_MS + HOUR_MS })
  },
  'a void where shifts are rarely sent': () => {
    const town = createTown(false)
    for (const cashier of PEOPLE) {
      town.sale(cashier, { at: NOW })
      town.act(cashier, 'shift_start', { at: NOW })
      town.act(cashier, 'shift_end', { at: NOW + HOUR_MS })
      for (let i = 0; i < 8; i += 1)
        town.act(cashier, 'void', { at: NOW + 3 * HOUR_MS + i * HOUR_MS })
    }
    return town.act('ann', 'void', { at: NOW + 12 * HOUR_MS })
  },
  'a refund at three in the morning': () => {
    const town = createTown(false)
    for (let day = 0; day < 30; day += 1) {
      for (let hour = 9; hour < 17; hour += 1) {
        town.sale('ann', { at: NOW + day * DAY_MS + hour * HOUR_MS, hour })
      }
    }
    return town.act('ann', 'refund', { at: NOW + 30 * DAY_MS + 3 * HOUR_MS, hour: 3 })
  },
  'cash pickups by a cashier who sells': () => often('cash_pickup', 12),
  'discounts for one friend': () =>
    ordinaryStore('EUR', 'override').act('ann', 'shift_end', { at: TODAY + HOUR_MS }),
  'large overrides': () => often('price_override', 12, { amount_cents: 20_000 }),
}

/** Score, then the points and the sentence of each reason. */
export function reasonsOfCashierStory(story: CashierStory) {
  const { fraud, measurements } = story()
  const counted = explainAction(fraud, measurements).filter(({ points }) => points > 0)
  return {
    score: fraud.risk_score,
    reasons: counted.map(({ points, sentence }) => `+${points} ${sentence}`),
    findings: counted.flatMap(({ finding }) => (finding === null ? [] : [finding])),
  }
}
