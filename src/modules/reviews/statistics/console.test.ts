import { expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { addFlaggedOrders } from '../../../../test/support/flagged-orders.ts'
import { newOrder } from '../../../../test/support/orders.ts'
import type { ReviewStatistics } from './schema.ts'

const harness = useHarness()

it('statistics have decisions, what they saved, and what outcomes showed to be lost', async () => {
  const { org_id, keys } = await harness().createTenant()
  const token = await harness().signIn(org_id, 'member')
  const [first = '', second = ''] = await addFlaggedOrders(harness(), keys.live_secret, [
    'one',
    'two',
  ])
  const decide = async (id: string, decision: string) => {
    const path = `/console/api/reviews/${id}/decision`
    expect((await harness().post(path, { org_id, decision }, { token })).status).toBe(200)
  }
  await decide(first, 'confirmed_fraud')
  await decide(second, 'legitimate')
  const missed = newOrder({ external_id: 'new customer', amount_cents: 700, currency: 'EUR' })
  await harness().post('/v1/orders', missed, { key: keys.live_secret })
  const reported = [missed['external_order_id'], 'two'].map((external_order_id) => ({
    external_order_id,
    kind: 'fraud',
    date: new Date(Date.now() + 1000).toISOString(),
  }))
  const date = new Date().toISOString()
  const outcomes = reported.map((outcome) => ({ ...outcome, date }))
  const answer = await harness().post('/console/api/outcomes', { org_id, outcomes }, { token })
  expect(answer.body.content).toMatchObject({ decided: 2 })
  const read = async (query = '') => {
    const path = `/console/api/reviews/statistics?org_id=${org_id}${query}`
    return (await harness().get<ReviewStatistics & { field: string }>(path, { token })).body.content
  }
  const { total, weeks, analysts, signals, people, is_complete } = await read()
  expect(is_complete).toBe(true)
  expect(total).toMatchObject({ decisions: 2, frauds: 1, legitimate: 1, changes: 0 })
  expect(total.saved).toEqual([{ currency: 'USD', amount_cents: 4990 }])
  expect(total.lost).toEqual([
    { currency: 'EUR', amount_cents: 700 },
    { currency: 'USD', amount_cents: 4990 },
  ])
  expect(total.median_minutes).not.toBeNull()
  expect(weeks.length).toBe(12)
  expect(weeks.at(-1)?.decisions).toBe(2)
  expect(analysts).toMatchObject([{ decisions: 2, overturned: 1 }])
  expect(Object.keys(people)).toEqual([analysts[0]?.by])
  expect(signals.find(({ name }) => name === 'location_anomaly')).toMatchObject({
    frauds: 2,
    precision: 1,
  })
  expect((await read('&weeks=1')).weeks.length).toBe(1)
  expect((await read('&mode=test')).total.decisions).toBe(0)
  expect((await read('&weeks=54')).field).toBe('weeks')
})
