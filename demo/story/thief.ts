/**
 * The one who steals: money for goods that nobody brought back, and sales that are struck out after
 * the customer has paid and gone, shortly before closing and always at the same till.
 */
import type { Random } from '../../src/platform/random.ts'
import type { StoryEvent } from './event.ts'
import { type Shop, THIEF, tillOf } from './shops.ts'
import { dayText, MINUTE_MS } from './wall-clock.ts'

export type Shift = {
  shop: Shop
  name: string
  cashier: string
  till: number
  begin: number
  end: number
  is_late: boolean
  /** Of the month, 0 to 1. */
  passed: number
}

/** Nothing where it is not the thief's shift, or too early in the month. */
export function steal(random: Random, shift: Shift): StoryEvent[] {
  const { shop, name, end, passed } = shift
  const isThief = shop.id === THIEF.shop_id && name === THIEF.cashier
  if (!isThief || passed < THIEF.from_share) return []
  const at = () => Math.round(end - random.between(4, THIEF.last_minutes) * MINUTE_MS)
  const [fewest, most] = THIEF.refunds_per_shift
  const refunds = Array.from({ length: random.integer(fewest, most) }, (_, index) => {
    const order = random.chance(0.6) ? { order_external_id: receiptOf(random, end, index) } : {}
    const amount_cents = random.pick(THIEF.amounts_cents)
    return theft(shift, at(), {
      action_type: 'refund',
      amount_cents,
      reason: 'Customer return',
      ...order,
    })
  })
  const [few, many] = THIEF.voids_per_shift
  const voids = Array.from({ length: random.integer(few, many) }, () => {
    const amount_cents = random.integer(90, 420) * 10
    return theft(shift, at(), { action_type: 'void', amount_cents, reason: 'Mistake' })
  })
  return [...refunds, ...voids]
}

/** Of a receipt that no till has printed. */
const receiptOf = (random: Random, end: number, index: number): string =>
  `LE9-${dayText(end)}X-${random.integer(100, 899) + index}`

function theft(
  { shop, cashier, till }: Shift,
  at: number,
  what: {
    action_type: 'refund' | 'void'
    amount_cents: number
    reason: string
    order_external_id?: string
  },
): StoryEvent {
  return {
    at,
    truth: 'theft',
    kind: 'action',
    action: {
      cashier_external_id: cashier,
      edge_device_id: tillOf(shop, till),
      ...what,
      performed_at: new Date(at).toISOString(),
    },
  }
}
