/** Adds orders to the review queue: profiles that order in Tokyo half an hour after Berlin. */
import type { Harness } from '../harness.ts'
import { BERLIN, TOKYO } from './traveler.ts'

const HALF_AN_HOUR_MS = 1_800_000

/** @returns ids of the flagged orders in the order of their names */
export async function addFlaggedOrders(
  { call }: Pick<Harness, 'call'>,
  key: string,
  names: readonly string[],
): Promise<string[]> {
  const ids: string[] = []
  for (const [index, name] of names.entries()) {
    const external_id = `customer ${index} of ${name}`.slice(0, 500)
    const send = async (external_order_id: string, place: object, ago_ms: number) => {
      const ordered_at = new Date(Date.now() - ago_ms).toISOString()
      const body = { external_order_id, external_id, amount_cents: 4990, ordered_at, ...place }
      const answer = await call<{ order: { id: string }; risk: { flagged_for_review: boolean } }>({
        method: 'POST',
        path: '/v1/orders',
        key,
        body,
      })
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      return answer.body.content
    }
    await send(`before ${name}`.slice(0, 500), BERLIN, 2 * HALF_AN_HOUR_MS)
    const { order, risk } = await send(name, TOKYO, HALF_AN_HOUR_MS)
    if (!risk.flagged_for_review) throw new Error(`${name} was not flagged`)
    ids.push(order.id)
  }
  return ids
}
