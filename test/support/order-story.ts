/** A short history that ends with one order, and what people read about that order. */
import { explainOrder } from '../../src/modules/orders/explanation.ts'
import { learnDecision } from '../../src/modules/orders/scoring/decision.ts'
import type { OrderFacts } from '../../src/modules/orders/scoring/facts.ts'
import { DEFAULT_ORDER_PARAMETERS } from '../../src/modules/orders/scoring/parameters.ts'
import { DAY_MS, HOUR_MS } from '../../src/platform/time-units.ts'
import { customerId, openKnownShop, orderFacts, type Shop, START } from './scoring.ts'

export type Some = Partial<OrderFacts>

/** The regular customer of most stories, with an account, a device, a place and a country. */
export const OWN: Some = {
  profile_id: customerId(1),
  fingerprint_hash: 'own device',
  latitude: 52.52,
  longitude: 13.405,
  country: 'DE',
}
export const GUEST: Some = { profile_id: undefined }
export const NEW: Some = { profile_id: customerId(900), fingerprint_hash: 'new device' }
export const at = (ms: number): Some => ({ ordered_at_ms: START + ms })
export const TOKYO: Some = { latitude: 35.68, longitude: 139.69 }
export const MADRID: Some = { latitude: 40.42, longitude: -3.7 }
export const MUNICH: Some = { latitude: 48.137, longitude: 11.575 }

/** A shop where the regular customer ordered twenty times more in the last weeks. */
export function regulars(some: Some = {}): Shop {
  const shop = openKnownShop()
  for (let i = 20; i > 0; i -= 1) {
    shop.order({
      ...OWN,
      amount_cents: 4000 + (i % 7) * 500,
      ...some,
      ...at(-2 * i * DAY_MS - HOUR_MS),
    })
  }
  return shop
}

export function repeat(shop: Shop, times: number, order: (i: number) => Some): void {
  for (let i = 0; i < times; i += 1) shop.order(order(i))
}

/** Scores an order and decides it an hour later. */
export function decided(shop: Shop, some: Some, decision: 'confirmed_fraud' | 'legitimate'): void {
  const facts = orderFacts(some)
  const scored_at_ms = facts.ordered_at_ms
  const { risk } = shop.order(facts)
  const order = { facts, risk_score: risk.risk_score, scored_at_ms }
  const to = { decision, now_ms: scored_at_ms + HOUR_MS }
  shop.write(facts, learnDecision(order, to, shop.read(facts), DEFAULT_ORDER_PARAMETERS))
}

export const item = (quantity: number, unit_price_cents: number, total_price_cents: number) => ({
  quantity,
  unit_price_cents,
  total_price_cents,
  discount_cents: 0,
  discount_type: undefined,
})

/** The last order of a story, placed in the shop of the story. */
export type Story = () => { shop: Shop; last: Some }

/** Score, then the points and the sentence of each reason. */
export function reasonsOfStory(story: Story): {
  score: number
  reasons: string[]
  findings: string[]
} {
  const { shop, last } = story()
  const facts = orderFacts(last)
  const { risk, measurements } = shop.order(facts)
  const { amount_cents, currency, profile_id, edge_device_id, location_name } = facts
  const request = {
    external_order_id: 'o-1',
    amount_cents,
    currency,
    ...(profile_id !== undefined && { external_id: profile_id }),
    ...(edge_device_id !== undefined && { edge_device_id }),
    ...(location_name !== undefined && { location_name }),
  }
  const counted = explainOrder({ request, risk, measurements }, DEFAULT_ORDER_PARAMETERS).filter(
    ({ points }) => points > 0,
  )
  return {
    score: risk.risk_score,
    reasons: counted.map(({ points, sentence }) => `+${points} ${sentence}`),
    findings: counted.flatMap(({ finding }) => (finding === null ? [] : [finding])),
  }
}

export const ordinary = (some: Some) => (): ReturnType<Story> => ({
  shop: regulars(),
  last: { ...OWN, ...some },
})
