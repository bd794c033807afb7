/** Sends orders and profiles over HTTP. */

import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { ScoredOrder } from '../../src/modules/orders/schema.ts'
import type { UpsertedProfile } from '../../src/modules/profiles/schema.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { DAY_MS } from '../../src/platform/time-units.ts'
import type { Answer, Harness } from '../harness.ts'
import { eventsOf } from './books.ts'

export type Body = Record<string, unknown>

type Refusable<Content> = Content & { field: string }

/** One element of the answer to `POST /orders/bulk`. */
export type OrderEnvelope = {
  success: boolean
  message: string
  code?: string
  content: Refusable<ScoredOrder>
}

export type OrderCalls = {
  order(key: string, body: unknown, on?: Harness): Promise<Answer<Refusable<ScoredOrder>>>
  bulk(key: string, orders: unknown, on?: Harness): Promise<Answer<OrderEnvelope[]>>
  profile(key: string, body: unknown, on?: Harness): Promise<Answer<Refusable<UpsertedProfile>>>
  /** Returns the response body as text. */
  orderText(key: string, body: unknown, on?: Harness): Promise<string>
  /** Sends orders one after another, expects success, and returns their risks. */
  risks(key: string, orders: readonly Body[]): Promise<ScoredOrder['risk'][]>
}

export function useOrders(harness: () => Harness): OrderCalls {
  const order: OrderCalls['order'] = (key, body, on = harness()) =>
    on.call({ method: 'POST', path: '/v1/orders', key, body })
  return {
    order,
    bulk: (key, orders, on = harness()) =>
      on.call({ method: 'POST', path: '/v1/orders/bulk', key, body: { orders } }),
    profile: (key, body, on = harness()) =>
      on.call({ method: 'POST', path: '/v1/profiles', key, body }),
    orderText: async (key, body, on = harness()) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      const payload = JSON.stringify(body)
      return (await on.app.inject({ method: 'POST', url: '/v1/orders', headers, payload })).body
    },
    risks: async (key, orders) => {
      const risks: ScoredOrder['risk'][] = []
      for (const body of orders) {
        const answer = await order(key, body)
        expect(answer).toMatchObject({ status: 200 })
        risks.push(answer.body.content.risk)
      }
      return risks
    },
  }
}

/** Returns an order with a unique id. */
export const newOrder = (given: Body = {}): Body => ({
  external_order_id: `order-${randomUUID()}`,
  amount_cents: 4990,
  ...given,
})

/**
 * Returns a usual past: one order a day shortly after noon (UTC) with amounts around 50.
 *
 * @param until the day after the last order
 */
export function pastOrders(count: number, until: Date, given: Body = {}): Body[] {
  return Array.from({ length: count }, (_, n) => {
    const noon = Math.floor(until.getTime() / DAY_MS - (count - n)) * DAY_MS + DAY_MS / 2
    const ordered_at = new Date(noon + ((n * 7) % 50) * 60_000).toISOString()
    return newOrder({ amount_cents: 4500 + ((n * 37) % 11) * 100, ordered_at, ...given })
  })
}

export type SettableClock = Clock & { advance(ms: number): void }

export function settableClock(start: Date): SettableClock {
  let nowMs = start.getTime()
  return {
    now: () => new Date(nowMs),
    advance: (ms) => {
      nowMs += ms
    },
  }
}

export type SeenEvent = { type: string; mode: string; data: unknown }

/** Returns the outbox events of an organization in order. */
export async function eventsSeen(harness: Harness, orgId: string): Promise<SeenEvent[]> {
  return (await eventsOf(harness.stores.db, orgId)).map(({ type, mode, body }) => ({
    type,
    mode,
    data: (JSON.parse(body) as { data: unknown }).data,
  }))
}
