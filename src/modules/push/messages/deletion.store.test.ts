import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { addApplication } from '../../../../test/support/push-fixtures.ts'
import {
  addSubscriptions,
  messageOf,
  recipientsOf,
  settleAll,
} from '../../../../test/support/push-messages.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import { expandStep } from '../expansion/step.ts'
import { sweepPushMessages } from './deletion.store.ts'
import { sweepIdempotencyKeys } from './idempotency.store.ts'
import { completeMessages, insertMessage } from './store.ts'

const db = ownDatabase()
const BEFORE = new Date(Date.now() - 90 * DAY_MS)
const OLD = new Date(Date.now() - 91 * DAY_MS)

async function addMessage(recipients: number, ended: Date | undefined) {
  const app = await addApplication(db)
  await addSubscriptions(db, app, recipients)
  const id = randomUUID()
  const { org_id, application_id } = app
  const to = { id, org_id, application_id, target: 'all' as const, target_ids: [] }
  const content = { title: 'Hello' }
  await insertMessage(db, { ...to, content, send_at: undefined, give_up_seconds: 3600 })
  await db.transaction().execute(async (tx) => await expandStep(tx, id, 20_000))
  await sql`update push_messages set created_at = ${OLD} where id = ${id}`.execute(db)
  if (ended === undefined) return id
  await settleAll(db, id, 'accepted')
  await completeMessages(db, [id])
  await sql`update push_messages set completed_at = ${ended} where id = ${id}`.execute(db)
  return id
}

async function sweepAll(): Promise<number[]> {
  const portions: number[] = []
  for (;;) {
    const swept = await sweepPushMessages(db, BEFORE)
    if (swept === 0) return portions
    portions.push(swept)
  }
}

it('messages past their retention are deleted with their recipients, in portions', async () => {
  const old = [await addMessage(10_500, OLD), await addMessage(2, OLD), await addMessage(0, OLD)]
  const active = [await addMessage(1, new Date()), await addMessage(1, undefined)]
  expect((await sweepAll()).reduce((sum, count) => sum + count, 0)).toBe(10_505)
  const { rows } = await sql<{ id: string }>`select id from push_messages`.execute(db)
  expect(rows.map(({ id }) => id).toSorted()).toEqual(active.toSorted())
  for (const id of old) expect(await recipientsOf(db, id)).toEqual([])
  for (const id of active) expect(await recipientsOf(db, id)).toHaveLength(1)
  expect(await messageOf(db, String(active[1]))).toMatchObject({ status: 'sending' })
})

it('idempotency keys are deleted after their lifetime', async () => {
  const add = async (key: string, at: Date) =>
    await sql`
      insert into push_idempotency_keys
        (org_id, mode, key, fingerprint, message_id, answer, created_at)
      values (${randomUUID()}, 'live', ${key}, '', ${randomUUID()}, '{}', ${at})`.execute(db)
  await add('old', OLD)
  await add('new', new Date())
  expect(await sweepIdempotencyKeys(db, BEFORE)).toBe(1)
  expect(await sweepIdempotencyKeys(db, BEFORE)).toBe(0)
  const { rows } = await sql<{ key: string }>`select key from push_idempotency_keys`.execute(db)
  expect(rows).toEqual([{ key: 'new' }])
})
