/** Requests for the events of the chain, with the ids that its web shop and its tills would give them. */
import { createHash } from 'node:crypto'
import type { OrderRequest } from '../../src/modules/orders/schema.ts'
import type { Action, ChainEvent, Order } from '../../world/events.ts'
import type { Cashier, Shift, Store } from '../../world/stores.ts'
import type { Northwind } from './chain.ts'
import type { StoryEvent } from './event.ts'

const COUNTRIES = new Intl.DisplayNames(['en'], { type: 'region' })
const currencyIn = (country: string | undefined) => (country === 'GB' ? 'GBP' : 'EUR')

/** @param events all of one day, by time, because refunds name earlier sales of the store */
export function requestsOf(chain: Northwind, events: readonly ChainEvent[]): StoryEvent[] {
  const sales = events.filter((event): event is Order => event.type === 'order' && isSale(event))
  return events.map((event) =>
    event.type === 'order' ? orderEvent(chain, event) : actionEvent(event, sales),
  )
}

const isSale = ({ sold }: Order): boolean => sold?.shift !== undefined

export const orderEvent = (chain: Northwind, order: Order): StoryEvent => ({
  at: order.at,
  truth: order.truth.is_fraud ? order.truth.scenario : 'honest',
  kind: 'order',
  order: orderRequest(chain, order),
})

function orderRequest({ homes }: Northwind, order: Order): OrderRequest {
  const { customer, sold, position, country, city, device, address } = order
  const items = itemsOf(order)
  return {
    external_order_id: orderIdOf(order),
    ...(customer !== undefined && { external_id: customer }),
    amount_cents: amountOf(order),
    item_count: order.item_count,
    ...(items.length > 0 && { items }),
    currency: currencyIn(sold?.store.city.country ?? homes.get(customer ?? '') ?? country),
    order_type: order.channel,
    payment_method: order.payment,
    ...(position && {
      location_latitude: position.latitude,
      location_longitude: position.longitude,
    }),
    ...(country !== undefined && { location_country: COUNTRIES.of(country) ?? country }),
    ...(city !== undefined && { location_city: city }),
    ...(sold && { location_name: sold.store.name, edge_device_id: sold.edge_device }),
    ...(sold?.shift && { cashier_external_id: sold.shift.cashier.id }),
    ...(device !== undefined && { fingerprint_hash: deviceHash(device) }),
    ...(address !== undefined && { ip_hash: addressHash(address) }),
    ordered_at: new Date(order.at).toISOString(),
  }
}

/** The first line of an overridden sale, and of a sale to an employee, is reduced. */
const itemsOf = ({ items, discount = 'none' }: Order): NonNullable<OrderRequest['items']> =>
  items.map(({ id, category, quantity, unit_price_cents, total_price_cents }, index) => {
    const isReduced = index === 0 && discount !== 'none'
    const discount_cents = isReduced ? Math.round(total_price_cents * REDUCTION) : 0
    return {
      ...(id !== undefined && { external_item_id: id }),
      ...(category !== undefined && { item_category: category }),
      quantity,
      unit_price_cents,
      total_price_cents: total_price_cents - discount_cents,
      ...(isReduced && { discount_cents, discount_type: discount }),
    }
  })

const REDUCTION = 0.15

const amountOf = (order: Order): number =>
  order.items.length === 0
    ? order.amount_cents
    : itemsOf(order).reduce((sum, { total_price_cents }) => sum + total_price_cents, 0)

function orderIdOf(order: Order): string {
  const { sold, day } = order
  const number = String(order.number).padStart(3, '0')
  if (!sold) return `W${dayText(day)}-${number}`
  return sold.shift
    ? `${shiftCode(sold.shift)}-${number}`
    : `${storeCode(sold.store)}0-${dayText(day)}-${number}`
}

/** `HA3-261120L`: store, cashier, day, and E or L for the early or the late shift */
const shiftCode = ({ store, cashier, day }: Shift): string =>
  `${storeCode(store)}${store.cashiers.indexOf(cashier) + 1}-${dayText(day)}${cashier.is_late ? 'L' : 'E'}`

const storeCode = ({ id }: Store): string => id.slice(0, 2).toUpperCase()

/** `261120` for November 20, 2026 */
const dayText = (day: number): string =>
  new Date(day).toISOString().slice(2, 10).replaceAll('-', '')

const REASONS: Readonly<Partial<Record<Action['action'], readonly string[]>>> = {
  void: ['Scanned twice', 'Customer changed their mind', 'Wrong item'],
  refund: ['Returned with receipt'],
  price_override: ['Damaged packaging'],
  discount_override: ['Damaged packaging', 'Expires today'],
  no_sale: ['Change'],
}
const THIEF_REASONS: typeof REASONS = { void: ['Mistake'], refund: ['Customer return'] }

function actionEvent(event: Action, sales: readonly Order[]): StoryEvent {
  const { at, shift, action, is_theft } = event
  const named = namedOrder(event, sales)
  const most = named === undefined ? Infinity : amountOf(named)
  const order_external_id =
    event.receipt === null ? unknownReceipt(event) : named && orderIdOf(named)
  const reasons = (is_theft ? THIEF_REASONS : REASONS)[action] ?? []
  const reason = reasons[Math.floor(at / 1000) % reasons.length]
  return {
    at,
    truth: is_theft ? 'theft' : 'honest',
    kind: 'action',
    action: {
      cashier_external_id: shift.cashier.id,
      edge_device_id: shift.till,
      action_type: action,
      ...(event.amount_cents !== undefined && { amount_cents: Math.min(event.amount_cents, most) }),
      ...(order_external_id !== undefined && { order_external_id }),
      ...(reason !== undefined && { reason }),
      performed_at: new Date(at).toISOString(),
    },
  }
}

/** The sale that is voided, or the last one before a refund that a cashier as in the receipt has made. */
function namedOrder(
  { at, shift, sale, receipt }: Action,
  sales: readonly Order[],
): Order | undefined {
  if (!receipt) return sale
  const isSame = (cashier: Cashier) => (cashier === shift.cashier) === (receipt.cashier === 'same')
  return sales.findLast(
    ({ sold, ...order }) =>
      order.at < at && sold?.store === shift.store && sold.shift && isSame(sold.shift.cashier),
  )
}

/** A receipt that no till has printed. */
const unknownReceipt = ({ at, shift }: Action): string => `${shiftCode(shift)}X-${100 + (at % 800)}`

/** As a fingerprinting library would report it. */
export const deviceHash = (device: string): string => hashOf(`device ${device}`)

/** The service only receives hashes of addresses. */
export const addressHash = (address: string): string => hashOf(`address ${address}`)

const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32)
