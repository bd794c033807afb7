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
import { createIds } from '../../../platform/ids.ts'
import { listPartitions } from '../../../platform/postgres/partitions/index.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import { expandStep } from '../expansion/step.ts'
import { expirePushMessages } from './deletion.store.ts'
import { sweepIdempotencyKeys } from './idempotency.store.ts'
import { completeMessages, insertMessage } from './store.ts'

const db = ownDatabase()
const newId = createIds()
const BEFORE = new Date(Date.now() - 90 * DAY_MS)
const OLD = new Date(Date.now() - 91 * DAY_MS)

async function addMessage(recipients: number, ended: Date | undefined, created = OLD) {
  const app = await addApplication(db)
  await addSubscriptions(db, app, recipients)
  const id = newId(created)
  const { org_id, application_id } = app
  const to = { id, org_id, application_id, target: 'all' as const, target_ids: [] }
  const content = { title: 'Hello' }
  await insertMessage(db, { ...to, content, send_at: undefined, give_up_seconds: 3600 })
  await db.transaction().execute(async (tx) => await expandStep(tx, id, 20_000))
  await sql`update push_messages set created_at = ${created} where id = ${id}`.execute(db)
  if (ended === undefined) return id
  await settleAll(db, id, 'accepted')
  await completeMessages(db, [id])
  await sql`update push_messages set completed_at = ${ended} where id = ${id}`.execute(db)
  return id
}

const rowsOf = async (table: string) =>
  (await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db)).rows[0]?.n

it('messages past their retention are deleted with their recipients, in portions', async () => {
  const old = [await addMessage(10_500, OLD), await addMessage(2, OLD), await addMessage(0, OLD)]
  const active = [await addMessage(1, new Date()), await addMessage(1, undefined)]
  expect(await rowsOf('push_recipients')).toBe(10_504)
  let portions = 0
  while (await expirePushMessages(db, BEFORE)) portions += 1
  expect(portions).toBeGreaterThan(1)
  const { rows } = await sql<{ id: string }>`select id from push_messages`.execute(db)
  expect(rows.map(({ id }) => id).toSorted()).toEqual(active.toSorted())
  for (const id of old) expect(await recipientsOf(db, id)).toEqual([])
  for (const id of active) expect(await recipientsOf(db, id)).toHaveLength(1)
  expect(await messageOf(db, String(active[1]))).toMatchObject({ status: 'sending' })
})

it('recipients are dropped with their partition when all of its messages have ended', async () => {
  await sql`delete from push_recipients`.execute(db)
  await sql`delete from push_messages`.execute(db)
  const [first, second] = await listPartitions(db, 'push_recipients')
  if (!first?.to || !second?.to) throw new Error('there are no partitions')
  const [before, later] = [first.to, new Date(second.to.getTime() + DAY_MS)]
  const inFirst = new Date(first.to.getTime() - 1)
  const ended = await addMessage(3, inFirst, inFirst)
  const scheduled = await addMessage(3, undefined, inFirst)
  const young = await addMessage(3, later, first.to)
  while (await expirePushMessages(db, before));
  // The first partition stays, so its messages are deleted one by one.
  expect(await recipientsOf(db, ended)).toEqual([])
  expect(await recipientsOf(db, scheduled)).toHaveLength(3)
  await settleAll(db, scheduled, 'accepted')
  await completeMessages(db, [scheduled])
  await sql`update push_messages set completed_at = ${inFirst} where id = ${scheduled}`.execute(db)
  while (await expirePushMessages(db, before));
  const [oldest] = await listPartitions(db, 'push_recipients')
  expect(oldest?.from).toEqual(first.to)
  const { rows } = await sql<{ id: string }>`select id from push_messages`.execute(db)
  expect(rows).toEqual([{ id: young }])
  expect(await recipientsOf(db, young)).toHaveLength(3)
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
