/** A store with several cashiers, one of whom voids far more than the others. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/platform/time-units.ts'
import type { Harness } from '../harness.ts'

type Result = { success: boolean }

const LOCATION_NAME = 'Main Street'
/** The cashier who voids far more than the others. */
const THIEF = 'thief'
const CASHIERS = ['ann', 'bob', 'carl', THIEF]
const SALES_A_DAY = 30

/** Sends the sales, voids and shifts of `days` days before `until`; shifts last from 08:00 to 17:00 UTC. */
export async function addStore(
  { call }: Pick<Harness, 'call'>,
  key: string,
  { until, days }: { until: Date; days: number },
): Promise<void> {
  const first = Math.floor(until.getTime() / DAY_MS - days) * DAY_MS
  for (let day = 0; day < days; day += 1) {
    for (const [index, cashier] of CASHIERS.entries()) {
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
        location_name: LOCATION_NAME,
        ordered_at: at(5 + sale * 15),
      }))
      await post('/v1/orders/bulk', { orders })
      const voids = cashier === THIEF ? 5 : day % 2
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
