/** Orders of the world as the scoring sees them, together with the truth about each. */
import type { OrderFacts } from '../../src/modules/orders/scoring/facts.ts'
import type { Order, Truth } from '../../world/events.ts'
import { hourAt } from '../../world/time.ts'

export type ShopOrder = { facts: OrderFacts; arrives_ms: number; truth: Truth }

export const shopOrder = (order: Order): ShopOrder => ({
  facts: orderFacts({
    profile_id: order.customer,
    amount_cents: order.amount_cents,
    order_type: order.channel,
    payment_method: order.payment,
    item_count: order.item_count,
    items: order.items.map((item) => ({ discount_type: undefined, ...item })),
    latitude: order.position?.latitude,
    longitude: order.position?.longitude,
    country: order.country,
    location_name: order.sold?.store.name,
    edge_device_id: order.sold?.edge_device,
    fingerprint_hash: order.device,
    ip_hash: order.address,
    cashier_external_id: order.sold?.shift?.cashier.id,
    ordered_at_ms: order.at,
    local_hour: hourAt(order.zone, order.at),
  }),
  arrives_ms: order.arrives,
  truth: order.truth,
})

/** Facts with everything unknown except what is given. */
export function orderFacts(
  known: Partial<OrderFacts> & Pick<OrderFacts, 'amount_cents' | 'ordered_at_ms' | 'local_hour'>,
): OrderFacts {
  return {
    profile_id: undefined,
    currency: 'EUR',
    order_type: 'online',
    payment_method: 'card',
    item_count: undefined,
    items: [],
    latitude: undefined,
    longitude: undefined,
    country: undefined,
    location_name: undefined,
    is_outside_country: false,
    edge_device_id: undefined,
    fingerprint_hash: undefined,
    ip_hash: undefined,
    cashier_external_id: undefined,
    reputation: { device: 0, ip: 0, profile: 0 },
    check_risk: 0,
    lists: [],
    ...known,
  }
}
