import { expect, it } from 'vitest'
import type { Owner } from '../src/modules/orders/service.ts'
import { useHarness } from '../test/harness.ts'
import { addOrganization, createScore } from './core.ts'
import { createPast } from './growth-past.ts'
import { customerOf, onlineOrder } from './order-requests.ts'

const harness = useHarness()
const FIRST = Date.UTC(2025, 0, 1)
const HOUR_MS = 3_600_000
const ORDERS = 60

const order = (number: number) =>
  onlineOrder(customerOf(1), `past/${number}`, number, new Date(FIRST + number * 5 * HOUR_MS))

const statesOf = async ({ org_id }: Owner, kind: string) => {
  const { db } = harness().stores
  const states = db.selectFrom('states').select('state').where('org_id', '=', org_id)
  return (await states.where('kind', '=', kind).execute()).map(({ state }) => state)
}

it('a past that was made up is the same as one that was lived', async () => {
  const { stores } = harness()
  const [madeUp, lived] = [await addOrganization(stores), await addOrganization(stores)]
  const score = await createScore(stores, madeUp)
  await createPast({ stores, owner: madeUp, score, orders: ORDERS, order }, () => {})
  const live = await createScore(stores, lived)
  for (let number = 1; number <= ORDERS; number += 1) await live(order(number))

  for (const kind of ['profile', 'organization']) {
    const [state] = await statesOf(madeUp, kind)
    const [expected] = await statesOf(lived, kind)
    expect(state).toMatchObject(withoutArrival(expected))
  }
  const rows = stores.db.selectFrom('orders').select(['seq', 'external_order_id', 'request'])
  const stored = await rows.where('org_id', '=', madeUp.org_id).orderBy('seq').execute()
  expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: ORDERS }, (_, i) => i + 1))
  expect(new Set(stored.map((row) => row.external_order_id)).size).toBe(ORDERS)
  const last = stored.at(-1)
  expect(last?.request).toMatchObject({ external_order_id: last?.external_order_id })
})

it('a profile with a past that was made up can go on ordering', async () => {
  const { stores } = harness()
  const owner = await addOrganization(stores)
  const score = await createScore(stores, owner)
  await createPast({ stores, owner, score, orders: ORDERS, order }, () => {})
  const again = await createScore(stores, owner)
  expect(await again(order(ORDERS + 1))).toBe(false)
  expect(await statesOf(owner, 'profile')).toMatchObject([{ total_orders: ORDERS + 1 }])
})

/** When it was heard of is a matter of the clock. */
function withoutArrival(state: object = {}): object {
  const arrival = ['first_seen_at', 'last_seen_at']
  return Object.fromEntries(Object.entries(state).filter(([name]) => !arrival.includes(name)))
}
