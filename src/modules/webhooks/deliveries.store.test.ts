import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { addEndpoint, addEvents, deliveriesOf } from '../../../test/support/webhooks.ts'
import { expireDeliveries, replayDeliveries, sweepDeletedEndpoints } from './deliveries.store.ts'

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

describe('replaying', () => {
  it('continues after the last id, although earlier deliveries still match', async () => {
    const { id, org_id } = await addEndpoint(db)
    await addEvents(db, org_id, 5)
    const finish = async () =>
      await sql`update webhook_deliveries set status = 'succeeded', due_at = null`.execute(db)
    await finish()
    const time = { from: new Date(0), until: new Date(Date.now() + 60_000) }
    const replay = async (after: string) => {
      const query = { ...time, statuses: ['succeeded'] as const, after, limit: 2 }
      const ids = await replayDeliveries(db, org_id, id, query)
      await finish()
      return ids
    }
    const first = await replay('00000000-0000-0000-0000-000000000000')
    const second = await replay(first.at(-1) ?? '')
    const third = await replay(second.at(-1) ?? '')
    const all = (await deliveriesOf(db, id)).map((row) => row.id)
    expect([...first, ...second, ...third]).toEqual(all)
  })
})

describe('sweeping', () => {
  it('deletes exactly the deliveries older than the retention, finished or not', async () => {
    const { id, org_id } = await addEndpoint(db)
    const other = await addEndpoint(db)
    await addEvents(db, org_id, 3)
    await addEvents(db, other.org_id, 6000)
    await sql`update webhook_deliveries set status = 'succeeded', due_at = null
      where endpoint_id = ${id}`.execute(db)
    await setTimeout(5)
    const before = new Date()
    await addEvents(db, org_id, 2)
    while (await expireDeliveries(db, before));
    expect(await deliveriesOf(db, id)).toHaveLength(2)
    expect(await deliveriesOf(db, other.id)).toEqual([])
  })

  it('deletes the deliveries of deleted endpoints, then the endpoints themselves', async () => {
    const [active, gone, empty] = [
      await addEndpoint(db),
      await addEndpoint(db),
      await addEndpoint(db),
    ]
    await addEvents(db, active.org_id, 2)
    await addEvents(db, gone.org_id, 6000)
    await sql`update webhook_endpoints set status = 'deleted'
      where id in (${gone.id}, ${empty.id})`.execute(db)
    expect(await sweepAll(() => sweepDeletedEndpoints(db))).toBe(6002)
    expect(await endpointIds()).toEqual([active.id])
    expect(await deliveriesOf(db, gone.id)).toEqual([])
    expect(await deliveriesOf(db, active.id)).toHaveLength(2)
  })
})
