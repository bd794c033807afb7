/** Bounds of the number of rows that are read, on the real database. */
import { beforeAll, describe, expect, it } from 'vitest'
import { type Tenant, useHarness } from '../../../../test/harness.ts'
import { addStore } from '../../../../test/support/cashiers.ts'
import { createStateId } from '../../../platform/states/index.ts'
import { createCashierReadings } from './readings.ts'
import { listActions } from './store.ts'

const harness = useHarness()
const HERE = 'location main street'

let shop: Tenant
beforeAll(async () => {
  shop = await harness().createTenant()
  await addStore(harness(), shop.keys.live_secret, { until: new Date(), days: 2 })
})

const owner = () => ({ org_id: shop.org_id, mode: 'live' as const })
const readingsOf = (period_actions_max: number) => {
  const { directory, db, clock } = harness().stores
  const stateId = createStateId(() => '00000000-0000-0000-0000-000000000000')
  return createCashierReadings({
    directory,
    db,
    clock,
    stateId,
    findOrderId: async () => await Promise.resolve(undefined),
    period_actions_max,
  })
}

describe('a period with more actions than the maximum', () => {
  it('covers the newest actions, and reports since when', async () => {
    const { stores, period } = await readingsOf(7).stores(owner(), 14)
    expect(period).toMatchObject({ examined: 7, is_complete: false })
    expect(stores.reduce((sum, { actions }) => sum + actions, 0)).toBe(7)
    const { actions } = await readingsOf(7).actions(owner(), {}, { limit: 7 })
    expect(period.since).toBe(actions.at(-1)?.received_at)
    const query = { location: HERE, action_type: 'void', days: 14 } as const
    const peers = await readingsOf(7).peers(owner(), query)
    expect(peers.period).toEqual({ ...period, until: peers.period.until })
    expect(peers.cashiers.map(({ cashier_external_id }) => cashier_external_id)).toEqual(['thief'])
  })

  it('is complete when all were read', async () => {
    const { period } = await readingsOf(1000).stores(owner(), 14)
    expect(period.is_complete).toBe(true)
    expect(Date.parse(period.until) - Date.parse(period.since)).toBe(14 * 86_400_000)
  })
})

it('a list without a match among the examined actions continues after them', async () => {
  const { db } = harness().stores
  const filter = { action_type: 'shift_start', location: 'device pos-0' } as const
  const pages: number[] = []
  let after: string | undefined
  do {
    const page = await listActions(db, owner(), filter, { after, limit: 10, examined_max: 6 })
    pages.push(page.actions.length)
    after = page.last_id
  } while (after !== undefined)
  // The only match is the first of 30 actions.
  expect(pages.length).toBeGreaterThan(3)
  expect(pages.reduce((sum, count) => sum + count, 0)).toBe(1)
  expect(pages.slice(0, 3)).toEqual([0, 0, 0])
})
