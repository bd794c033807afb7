/** A database trigger creates the deliveries of an event in the transaction that inserts it. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { addEndpoint, deliveriesOf, newEvent } from '../../../test/support/webhooks.ts'
import { emitEvents } from '../events/index.ts'

const db = testDatabase()

describe('an event', () => {
  it('becomes one delivery for each endpoint of its organization that subscribes to its type', async () => {
    const org_id = randomUUID()
    const wants = await addEndpoint(db, { org_id })
    const wantsMore = await addEndpoint(db, {
      org_id,
      events: ['order.fraud.alert', 'email.check.completed'],
    })
    const others = [
      await addEndpoint(db, { org_id, events: ['order.fraud.alert'] }),
      await addEndpoint(db),
      await addEndpoint(db, { org_id, mode: 'test' }),
      await addEndpoint(db, { org_id, status: 'deleted' }),
    ]
    const event = newEvent(org_id)
    await emitEvents(db, [event])
    for (const { id } of [wants, wantsMore]) {
      expect(await deliveriesOf(db, id)).toMatchObject([
        {
          org_id,
          event_id: event.id,
          event_type: 'email.check.completed',
          status: 'pending',
          attempts: 0,
          due_at: expect.any(Date) as Date,
        },
      ])
    }
    for (const { id } of others) expect(await deliveriesOf(db, id)).toEqual([])
  })

  it('of a test key goes only to endpoints in test mode', async () => {
    const org_id = randomUUID()
    const [live, test] = [
      await addEndpoint(db, { org_id }),
      await addEndpoint(db, { org_id, mode: 'test' }),
    ]
    await emitEvents(db, [newEvent(org_id, { mode: 'test' })])
    expect(await deliveriesOf(db, live.id)).toEqual([])
    expect(await deliveriesOf(db, test.id)).toHaveLength(1)
  })

  it('waits for an endpoint that is paused', async () => {
    const paused = await addEndpoint(db, {
      status: 'paused',
      pause_reason: 'requested',
      paused_at: new Date(),
    })
    await emitEvents(db, [newEvent(paused.org_id)])
    expect(await deliveriesOf(db, paused.id)).toMatchObject([{ status: 'pending' }])
  })

  it('leaves no deliveries when its transaction is rolled back', async () => {
    const { org_id, id } = await addEndpoint(db)
    const failed = db.transaction().execute(async (tx) => {
      await emitEvents(tx, [newEvent(org_id)])
      expect(await deliveriesOf(tx, id)).toHaveLength(1)
      throw new Error('something else went wrong')
    })
    await expect(failed).rejects.toThrow('something else')
    expect(await deliveriesOf(db, id)).toEqual([])
  })

  it('inserted together with others gets its own deliveries, with ids that increase over time', async () => {
    const { org_id, id } = await addEndpoint(db)
    const before = Date.now()
    const events = Array.from({ length: 100 }, () => newEvent(org_id))
    await emitEvents(db, events)
    const rows = await deliveriesOf(db, id)
    expect(new Set(rows.map(({ event_id }) => event_id))).toEqual(
      new Set(events.map((event) => event.id)),
    )
    for (const row of rows) {
      expect(row.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-/)
      const written = Number.parseInt(row.id.replaceAll('-', '').slice(0, 12), 16)
      expect(Math.abs(written - before)).toBeLessThan(60_000)
    }
  })
})
