import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ownDatabase } from '../../../../../test/database.ts'
import {
  ACCEPTED,
  addBacklog,
  clearPush,
  listMiscounted,
  openKeeper,
} from '../../../../../test/support/push.ts'
import { batchesOf, messageOf, recipientsOf } from '../../../../../test/support/push-messages.ts'
import { createIds } from '../../../../platform/ids.ts'
import { createClaim } from '../claim/claim.ts'
import type { Job, Outcome } from '../job.ts'
import { releaseBatches, settle } from './settle.ts'

const db = ownDatabase()
afterEach(async () => {
  expect(await listMiscounted(db)).toEqual([])
  await clearPush(db)
})

async function claimAll(): Promise<Job[]> {
  const claim = createClaim({
    db,
    keeper: openKeeper,
    newId: createIds(),
    clock: { now: () => new Date() },
    deadline_ms: 1000,
    channel_max: 10_000,
    probing_max: 10_000,
  })
  return (await claim({ jobs: 10_000, in_flight: new Map() })).jobs
}

const all = (jobs: readonly Job[], outcome: Outcome = ACCEPTED) =>
  jobs.map((job) => ({ job, outcome }))

/** As long as `work` goes on, somebody else has the rows of all messages. */
async function whileMessagesAreLocked(waiters: number, work: () => Promise<unknown>) {
  let working: Promise<unknown> = Promise.resolve()
  await db.transaction().execute(async (tx) => {
    await sql`select from push_messages for update`.execute(tx)
    working = work()
    await vi.waitFor(async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(tx)
      expect(rows).toHaveLength(waiters)
    })
  })
  await working
}

describe('two who are done with the last batches of a message at the same time', () => {
  it('complete it, when they settle', async () => {
    const { message_id } = await addBacklog(db, 20, { batch_size: 10 })
    const jobs = await claimAll()
    await whileMessagesAreLocked(2, async () => {
      await Promise.all([settle(db, all(jobs.slice(0, 10))), settle(db, all(jobs.slice(10)))])
    })
    expect(await messageOf(db, message_id)).toMatchObject({ status: 'sent', accepted: 20 })
  })

  it('complete it, when they only give the batches up, with those of many others', async () => {
    const { message_id } = await addBacklog(db, 20, { batch_size: 10 })
    for (let others = 0; others < 60; others += 1) await addBacklog(db, 1)
    const batches = [...new Set((await claimAll()).map(({ batch }) => batch))]
    const ofMessage = batches.filter((batch) => batch.message_id === message_id)
    const ofOthers = batches.filter((batch) => batch.message_id !== message_id)
    await sql`update push_recipients set status = 'accepted'`.execute(db)
    await sql`update push_messages set accepted = recipients`.execute(db)
    await whileMessagesAreLocked(2, async () => {
      await Promise.all([
        releaseBatches(db, [...ofMessage.slice(0, 1), ...ofOthers.slice(0, 30)]),
        releaseBatches(db, [...ofMessage.slice(1), ...ofOthers.slice(30)]),
      ])
    })
    expect(await messageOf(db, message_id)).toMatchObject({ status: 'sent', accepted: 20 })
  })
})

describe('a batch', () => {
  it('is deleted with the last of its recipients, however these were settled', async () => {
    const { message_id } = await addBacklog(db, 100)
    const jobs = await claimAll()
    await Promise.all(
      [0, 25, 50, 75].map(async (at) => await settle(db, all(jobs.slice(at, at + 25)))),
    )
    expect(await batchesOf(db, message_id)).toEqual([])
    expect((await messageOf(db, message_id)).status).toBe('sent')
  })

  it('is due when the first of its recipients is, and keeps its place where that is at once', async () => {
    const { message_id } = await addBacklog(db, 3)
    const [before] = await batchesOf(db, message_id)
    const [one, two, three] = await claimAll()
    if (!one || !two || !three) throw new Error('three were claimed')
    const internal: Outcome = { kind: 'retry', reason: 'INTERNAL', is_ambiguous: false }
    await settle(db, [{ job: one, outcome: ACCEPTED }, ...all([two], internal)])
    expect(await batchesOf(db, message_id)).toMatchObject([{ lease_id: one.batch.lease_id }])
    await settle(db, all([three], { kind: 'retry', reason: 'stopped', is_ambiguous: false }))
    expect(await batchesOf(db, message_id)).toMatchObject([
      { lease_id: null, leased_until: null, due_at: before?.due_at },
    ])
    const again = await claimAll()
    expect(again.map(({ subscription_id }) => subscription_id)).toEqual([three.subscription_id])
    await settle(db, all(again))
    const [waiting] = await batchesOf(db, message_id)
    const [, recipient] = await recipientsOf(db, message_id)
    expect(waiting?.due_at).toEqual(recipient?.due_at)
    expect(waiting?.due_at.getTime()).toBeGreaterThan(before?.due_at.getTime() ?? 0)
  })

  it('that somebody else has by now is left to them', async () => {
    const { message_id } = await addBacklog(db, 2)
    const jobs = await claimAll()
    const lease_id = randomUUID()
    await sql`update push_batches set lease_id = ${lease_id}`.execute(db)
    await settle(db, all(jobs))
    expect(await batchesOf(db, message_id)).toMatchObject([{ lease_id }])
    expect(await messageOf(db, message_id)).toMatchObject({ status: 'sending', accepted: 2 })
  })
})

describe('an outcome', () => {
  it('that is told again counts once', async () => {
    const { message_id } = await addBacklog(db, 10)
    const jobs = await claimAll()
    const told = all(jobs.slice(0, 5))
    await settle(db, told)
    for (const { job } of told) job.batch.under_way += 1
    await settle(db, told)
    expect(await messageOf(db, message_id)).toMatchObject({ accepted: 5 })
    await settle(db, all(jobs.slice(5)))
  })

  it('of a message that was cancelled is kept', async () => {
    const { message_id } = await addBacklog(db, 2)
    const [one, two] = await claimAll()
    if (!one || !two) throw new Error('two were claimed')
    await sql`delete from push_batches`.execute(db)
    await sql`update push_messages set status = 'cancelled', completed_at = now()`.execute(db)
    await settle(db, all([one], { kind: 'message_rejected', reason: 'Odd' }))
    await settle(db, all([two]))
    expect(await messageOf(db, message_id)).toMatchObject({
      status: 'cancelled',
      accepted: 1,
      failed: 1,
    })
  })

  it('holds nothing that cannot be stored, whatever a provider says', async () => {
    const { message_id } = await addBacklog(db, 2)
    const [one, two] = await claimAll()
    if (!one || !two) throw new Error('two were claimed')
    await settle(db, [
      { job: one, outcome: { kind: 'accepted', provider_id: 'a\0b\ud800' } },
      { job: two, outcome: { kind: 'message_rejected', reason: '\0'.repeat(3) } },
    ])
    const recipients = await recipientsOf(db, message_id)
    const written = recipients.map(({ status, provider_id }) => `${status} ${provider_id}`)
    expect(written.toSorted()).toEqual(['accepted ab\ufffd', 'failed null'])
  })

  it('of a token that was replaced meanwhile ends no subscription', async () => {
    const { message_id } = await addBacklog(db, 2)
    const jobs = await claimAll()
    const [changed] = jobs
    await sql`update push_subscriptions set token = 'another', token_hash = ${randomUUID()}
      where id = ${changed?.subscription_id}`.execute(db)
    await settle(db, all(jobs, { kind: 'token_invalid', reason: 'UNREGISTERED' }))
    const { rows } = await sql`select invalid_reason from push_subscriptions
      order by (token = 'another')`.execute(db)
    expect(rows).toEqual([{ invalid_reason: 'UNREGISTERED' }, { invalid_reason: null }])
    const statuses = (await recipientsOf(db, message_id)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual(['failed', 'pending'])
  })
})
