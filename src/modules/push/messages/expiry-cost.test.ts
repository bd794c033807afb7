import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { addApplication } from '../../../../test/support/push-fixtures.ts'
import { addSubscriptions } from '../../../../test/support/push-messages.ts'
import { rowsRead } from '../../../../test/support/rows-read.ts'
import { expandStep } from '../expansion/step.ts'
import { expirePortion } from './expiry.store.ts'
import { sweepIdempotencyKeys } from './idempotency.store.ts'
import { insertMessage } from './store.ts'

const db = ownDatabase()
const MANY = 60_000
const PORTION = 5000

it('expiring a portion reads only its recipients, however many the message has', async () => {
  const app = await addApplication(db)
  await addSubscriptions(db, app, MANY)
  const id = randomUUID()
  const { org_id, application_id } = app
  const to = { id, org_id, application_id, target: 'all' as const, target_ids: [] }
  const content = { title: 'Hello' }
  await insertMessage(db, { ...to, content, send_at: undefined, give_up_seconds: 3600 })
  await db.transaction().execute(async (tx) => await expandStep(tx, id, MANY))
  for (const upToDate of [false, true]) {
    if (upToDate) await sql`analyze`.execute(db)
    const read = await rowsRead(db, 'push_recipients', async (tx) => {
      expect(await expirePortion(tx, id)).toEqual({ recipients: PORTION, is_more: true })
    })
    expect(read).toBeLessThan(4 * PORTION)
  }
})

it('sweeping idempotency keys does not read the ones that stay', async () => {
  const add = async (count: number, days: number) =>
    await sql`
      insert into push_idempotency_keys
        (org_id, mode, key, fingerprint, message_id, answer, created_at)
      select gen_random_uuid(), 'live', n::text, '', gen_random_uuid(), '{}',
        now() - ${days}::integer * interval '1 day'
      from generate_series(1, ${count}::integer) n`.execute(db)
  await add(MANY, 1)
  await add(PORTION, 8)
  await sql`analyze`.execute(db)
  const before = new Date(Date.now() - 7 * 86_400_000)
  const read = await rowsRead(db, 'push_idempotency_keys', async (tx) => {
    expect(await sweepIdempotencyKeys(tx, before)).toBe(PORTION)
  })
  expect(read).toBeLessThan(4 * PORTION)
})
