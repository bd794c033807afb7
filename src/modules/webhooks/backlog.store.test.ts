import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { addEndpoint, addEvents } from '../../../test/support/webhooks.ts'
import { readWebhookBacklog } from './backlog.store.ts'

const db = ownDatabase()

it('counts what is due, and the age of the oldest of active endpoints', async () => {
  const now = new Date(Date.now() + 60_000)
  expect(await readWebhookBacklog(db, now)).toEqual({
    waiting: 0,
    oldest_due_at: null,
    paused: 0,
  })
  const active = await addEndpoint(db)
  await addEvents(db, active.org_id, 3)
  const failing = await addEndpoint(db)
  await addEvents(db, failing.org_id, 2)
  const due_at = new Date(now.getTime() - 600_000)
  await sql`update webhook_deliveries set due_at = ${due_at} where endpoint_id = ${failing.id}`.execute(
    db,
  )
  expect((await readWebhookBacklog(db, now)).oldest_due_at).toEqual(due_at)
  await sql`update webhook_endpoints set status = 'paused', pause_reason = 'failing',
    paused_at = now() where id = ${failing.id}`.execute(db)
  const { waiting, oldest_due_at, paused } = await readWebhookBacklog(db, now)
  expect({ waiting, paused }).toEqual({ waiting: 5, paused: 1 })
  expect(oldest_due_at?.getTime()).toBeGreaterThan(due_at.getTime())
  expect((await readWebhookBacklog(db, new Date(0))).waiting).toBe(0)
})
