/** A shop with cashiers of whom one voids far more than the others, sent as tills send it. */
import type { Harness } from '../harness.ts'

export type Shop = {
  location_name: string
  cashiers: readonly string[]
  /** The last of the cashiers voids so many times as often. */
  thief: string
}

type Result = { success: boolean }

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const SALES_A_DAY = 30

export const SHOP: Shop = {
  location_name: 'Main Street',
  cashiers: ['ann', 'bob', 'carl', 'thief'],
  thief: 'thief',
}

/** @param until the last day is that before; shifts begin at eight (UTC) and last nine hours */
export async function addShop(
  { call }: Pick<Harness, 'call'>,
  key: string,
  { until, days, shop = SHOP }: { until: Date; days: number; shop?: Shop },
): Promise<void> {
  const first = Math.floor(until.getTime() / DAY_MS - days) * DAY_MS
  for (let day = 0; day < days; day += 1) {
    for (const [index, cashier] of shop.cashiers.entries()) {
      const begin = first + day * DAY_MS + 8 * HOUR_MS
      const at = (minutes: number) => new Date(begin + minutes * MINUTE_MS).toISOString()
      const till = { cashier_external_id: cashier, edge_device_id: `pos-${index}` }
      const act = async (action_type: string, minutes: number, more: object = {}) =>
        await post('/v1/cashier/actions', {
          ...till,
          action_type,
          performed_at: at(minutes),
          ...more,
        })
      const post = async (path: string, body: object) => {
        const answer = await call<unknown>({ method: 'POST', path, key, body })
        const { content } = answer.body
        const answers = Array.isArray(content) ? (content as Result[]) : [answer.body]
        const failed = answers.find(({ success }) => !success)
        if (failed) throw new Error(`${path} was answered with ${JSON.stringify(failed)}`)
      }
      await act('shift_start', 0)
      const orders = Array.from({ length: SALES_A_DAY }, (_, sale) => ({
        ...till,
        external_order_id: `${cashier}-${day}-${sale}`,
        amount_cents: 1500 + ((sale * 37) % 11) * 100,
        currency: 'EUR',
        location_name: shop.location_name,
        ordered_at: at(5 + sale * 15),
      }))
      await post('/v1/orders/bulk', { orders })
      const voids = cashier === shop.thief ? 5 : day % 2
      for (let nth = 0; nth < voids; nth += 1) {
        await act('void', 8 + nth * 90, {
          amount_cents: 1990 + nth,
          order_external_id: `${cashier}-${day}-${nth}`,
          reason: 'Wrong item',
        })
      }
      await act('shift_end', 540)
    }
  }
}
