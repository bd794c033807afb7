import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { addApplication } from '../../../../test/support/push-fixtures.ts'
import {
  addSubscriptions,
  batchesOf,
  messageOf,
  recipientsOf,
} from '../../../../test/support/push-messages.ts'
import { expandStep } from '../expansion/step.ts'
import { expireRecipients } from './expiry.ts'
import { insertMessage } from './store.ts'

const db = ownDatabase()
beforeEach(async () => {
  await sql`truncate push_messages, push_recipients, push_batches`.execute(db)
})

const expire = async () => await expireRecipients(db, new AbortController().signal)

/** An expanded message that has expired. */
async function addOverdue(counts: { fcm?: number; apns?: number }, seconds = 0) {
  const app = await addApplication(db)
  const { org_id, application_id } = app
  await addSubscriptions(db, app, counts.fcm ?? 0)
  await addSubscriptions(db, app, counts.apns ?? 0, { provider: 'apns' })
  const id = randomUUID()
  await insertMessage(db, {
    id,
    org_id,
    application_id,
    target: 'all',
    target_ids: [],
    content: { title: 'Hello' },
    send_at: undefined,
    give_up_seconds: 3600,
  })
  await db.transaction().execute(async (tx) => await expandStep(tx, id, 20_000))
  await sql`
    update push_messages set give_up_at = now() + ${seconds}::float8 * interval '1 second'
    where id = ${id}`.execute(db)
  return { id, application_id }
}

const reasonsOf = async (id: string) =>
  (await recipientsOf(db, id)).map(({ provider, status, reason }) => [provider, status, reason])

describe('an expired message', () => {
  it('ends with all its pending recipients, however many', async () => {
    const { id } = await addOverdue({ fcm: 12_345 })
    expect(await expire()).toBe(12_345)
    expect(await messageOf(db, id)).toMatchObject({ status: 'failed', failed: 12_345 })
    expect(await batchesOf(db, id)).toEqual([])
    expect(await expire()).toBe(0)
  })

  it('reports the reason per provider', async () => {
    const { id, application_id } = await addOverdue({ fcm: 1, apns: 1 })
    const { id: gone, application_id: without } = await addOverdue({ fcm: 1 })
    await sql`
      update push_credentials set status = 'needs_attention', error = 'The key was revoked.'
      where application_id = ${application_id} and provider = 'apns'`.execute(db)
    await sql`delete from push_credentials where application_id = ${without}`.execute(db)
    await expire()
    expect(await reasonsOf(id)).toEqual([
      ['fcm', 'failed', 'expired'],
      ['apns', 'failed', 'credential_rejected'],
    ])
    expect(await reasonsOf(gone)).toEqual([['fcm', 'failed', 'no_credential']])
  })

  it('keeps accepted recipients and is partially failed', async () => {
    const { id } = await addOverdue({ fcm: 3 })
    const [{ subscription_id } = { subscription_id: '' }] = await recipientsOf(db, id)
    await sql`
      update push_recipients set status = 'accepted'
      where message_id = ${id} and subscription_id = ${subscription_id}`.execute(db)
    await sql`update push_messages set accepted = 1 where id = ${id}`.execute(db)
    expect(await expire()).toBe(2)
    expect(await messageOf(db, id)).toMatchObject({
      status: 'partially_failed',
      accepted: 1,
      failed: 2,
    })
  })

  it('leaves recipients under way to their sender, and finishes the next time', async () => {
    const { id } = await addOverdue({ fcm: 150 })
    const [batch] = await batchesOf(db, id)
    const lease = async (seconds: number) =>
      await sql`
        update push_batches set lease_id = ${randomUUID()},
          leased_until = now() + ${seconds}::float8 * interval '1 second'
        where message_id = ${id} and first_id = ${batch?.first_id}`.execute(db)
    await lease(30)
    expect(await expire()).toBe(50)
    expect(await messageOf(db, id)).toMatchObject({ status: 'sending', failed: 50 })
    expect(await batchesOf(db, id)).toHaveLength(1)
    await lease(-1)
    expect(await expire()).toBe(100)
    expect(await messageOf(db, id)).toMatchObject({ status: 'failed', failed: 150 })
  })
})

it('a message that has not expired is not changed', async () => {
  const { id } = await addOverdue({ fcm: 2 }, 60)
  expect(await expire()).toBe(0)
  expect(await messageOf(db, id)).toMatchObject({ status: 'sending', failed: 0 })
})

it('stops between portions when aborted', async () => {
  const { id } = await addOverdue({ fcm: 200 })
  expect(await expireRecipients(db, AbortSignal.abort())).toBe(0)
  expect(await messageOf(db, id)).toMatchObject({ status: 'sending' })
})
