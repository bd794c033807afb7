import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { addEndpoint, addEvents, deliveriesOf } from '../../../../test/support/webhooks.ts'
import { sweepDeletedEndpoints, sweepDeliveries } from './store.ts'

const db = ownDatabase()
afterEach(async () => {
  await sql`truncate webhook_endpoints, webhook_deliveries, events`.execute(db)
})

const endpointIds = async () =>
  (await db.selectFrom('webhook_endpoints').select('id').execute()).map(({ id }) => id)

async function sweepAll(sweep: () => Promise<number>): Promise<number> {
  let total = 0
  for (let rows = await sweep(); rows > 0; rows = await sweep()) total += rows
  return total
}

describe('sweeping', () => {
  it('deletes what is older than the retention, finished or not, and nothing else', async () => {
    const { id, org_id } = await addEndpoint(db)
    await addEvents(db, org_id, 3)
    await sql`update webhook_deliveries set created_at = now() - interval '31 days'`.execute(db)
    await addEvents(db, org_id, 2)
    const before = new Date(Date.now() - 30 * 86_400_000)
    expect(await sweepAll(() => sweepDeliveries(db, before))).toBe(3)
    expect(await deliveriesOf(db, id)).toHaveLength(2)
  })

  it('deletes the deliveries of deleted endpoints, then the endpoints', async () => {
    const [kept, gone, empty] = [
      await addEndpoint(db),
      await addEndpoint(db),
      await addEndpoint(db),
    ]
    await addEvents(db, kept.org_id, 2)
    await addEvents(db, gone.org_id, 6000)
    await sql`update webhook_endpoints set status = 'deleted'
      where id in (${gone.id}, ${empty.id})`.execute(db)
    expect(await sweepAll(() => sweepDeletedEndpoints(db))).toBe(6002)
    expect(await endpointIds()).toEqual([kept.id])
    expect(await deliveriesOf(db, gone.id)).toEqual([])
    expect(await deliveriesOf(db, kept.id)).toHaveLength(2)
  })
})
