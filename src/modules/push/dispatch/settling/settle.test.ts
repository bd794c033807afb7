import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ownDatabase } from '../../../../../test/database.ts'
import {
  ACCEPTED,
  addBacklog,
  clearPush,
  endPushLeases,
  fakeCredentialCache,
  listMiscounted,
} from '../../../../../test/support/push-dispatch.ts'
import { batchesOf, messageOf, recipientsOf } from '../../../../../test/support/push-messages.ts'
import { createIds } from '../../../../platform/ids.ts'
import type { Database } from '../../../../platform/postgres/db.ts'
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
    credentialCache: fakeCredentialCache,
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

const FAILURE: Outcome = { kind: 'retry', reason: 'INTERNAL', is_ambiguous: false }
const THROTTLED: Outcome = { kind: 'throttled', scope: 'application', retry_after_s: 60 }

/** Locks the rows of all messages in another transaction while `work` runs. */
async function whileMessagesAreLocked(waiters: number, work: () => Promise<unknown>) {
  let working: Promise<unknown> = Promise.resolve()
  await db.transaction().execute(async (tx) => {
    await sql`select from push_messages for update`.execute(tx)
    working = work()
    await vi.waitFor(async () => {
      // Outside of the transaction, which would see the same snapshot each time.
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
      expect(rows).toHaveLength(waiters)
    }, 10_000)
  })
  await working
}

describe('processes that finish the last batches of a message concurrently', () => {
  it('complete it by settling', async () => {
    const { message_id } = await addBacklog(db, 20, { batch_size: 10 })
    const jobs = await claimAll()
    await whileMessagesAreLocked(2, async () => {
      await Promise.all([settle(db, all(jobs.slice(0, 10))), settle(db, all(jobs.slice(10)))])
    })
    expect(await messageOf(db, message_id)).toMatchObject({ status: 'sent', accepted: 20 })
  })

  it('complete it by only releasing the batches, together with many others', async () => {
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
  it('is deleted with its last recipient, in whatever order they are settled', async () => {
    const { message_id } = await addBacklog(db, 100)
    const jobs = await claimAll()
    await Promise.all(
      [0, 25, 50, 75].map(async (at) => await settle(db, all(jobs.slice(at, at + 25)))),
    )
    expect(await batchesOf(db, message_id)).toEqual([])
    expect((await messageOf(db, message_id)).status).toBe('sent')
  })

  it('becomes due with its first recipient, and keeps its due time if that is immediate', async () => {
    const { message_id } = await addBacklog(db, 3)
    const [before] = await batchesOf(db, message_id)
    const [one, two, three] = await claimAll()
    if (!one || !two || !three) throw new Error('three were claimed')
    await settle(db, [{ job: one, outcome: ACCEPTED }, ...all([two], FAILURE)])
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

  it('leased by another process is left to it', async () => {
    const { message_id } = await addBacklog(db, 2)
    const jobs = await claimAll()
    const lease_id = randomUUID()
    await sql`update push_batches set lease_id = ${lease_id}`.execute(db)
    await settle(db, all(jobs))
    expect(await batchesOf(db, message_id)).toMatchObject([{ lease_id }])
    expect(await messageOf(db, message_id)).toMatchObject({ status: 'sending', accepted: 2 })
  })
})

/** The database, whose transaction with this number fails, counting from 1. */
function failingOnce(which: number): Database {
  let begun = 0
  return new Proxy(db, {
    get: (target, key) => {
      if (key !== 'transaction') return Reflect.get(target, key) as unknown
      return () => {
        begun += 1
        const isAway = begun === which
        return isAway
          ? { execute: () => Promise.reject(new Error('unavailable')) }
          : target.transaction()
      }
    },
  })
}

it('a batch that could not be released is released by the next attempt, and no other', async () => {
  const [one, two] = [await addBacklog(db, 10), await addBacklog(db, 30)]
  const jobs = await claimAll()
  const [ones, twos] = [one, two].map(({ message_id }) =>
    jobs.filter(({ batch }) => batch.message_id === message_id),
  )
  if (!ones || !twos) throw new Error('two messages were claimed')
  const outcomes = [...all(ones.slice(5)), ...all(twos.slice(0, 10), FAILURE)]
  const flaky = failingOnce(2)
  let first: Promise<unknown> = Promise.resolve()
  // Starts before the rest of the first batch is written, and ends after it.
  await db.transaction().execute(async (tx) => {
    await sql`select from push_recipients where message_id = ${two.message_id} for update`.execute(
      tx,
    )
    first = settle(flaky, outcomes)
    await settle(db, all(ones.slice(0, 5), FAILURE))
  })
  await expect(first).rejects.toThrow('unavailable')
  await settle(flaky, outcomes)
  expect(await batchesOf(db, one.message_id)).toMatchObject([{ lease_id: null }])
  await settle(db, all(twos.slice(10, 20)))
  expect(await batchesOf(db, two.message_id)).toMatchObject([{ lease_id: twos[0]?.batch.lease_id }])
  await settle(db, all(twos.slice(20)))
  expect(await batchesOf(db, two.message_id)).toMatchObject([{ lease_id: null }])
})

it('concurrent changes of the same credentials do not deadlock', async () => {
  const [one, two] = [await addBacklog(db, 20), await addBacklog(db, 20)]
  const jobs = await claimAll()
  const jobsOf = (message_id: string, from: number) =>
    jobs.filter(({ batch }) => batch.message_id === message_id).slice(from, from + 10)
  await Promise.all([
    settle(db, [...all(jobsOf(one.message_id, 0)), ...all(jobsOf(two.message_id, 0), THROTTLED)]),
    settle(db, [...all(jobsOf(two.message_id, 10)), ...all(jobsOf(one.message_id, 10), THROTTLED)]),
  ])
  const { rows } = await sql<{ deadlocks: number }>`select deadlocks from pg_stat_database
    where datname = current_database()`.execute(db)
  expect(rows).toEqual([{ deadlocks: 0 }])
})

describe('an outcome', () => {
  it('that is settled again counts once', async () => {
    const { message_id } = await addBacklog(db, 10)
    const jobs = await claimAll()
    const outcomes = all(jobs.slice(0, 5))
    await settle(db, outcomes)
    await settle(db, outcomes)
    expect(await messageOf(db, message_id)).toMatchObject({ accepted: 5 })
    await settle(db, all(jobs.slice(5)))
  })

  it('that is an acceptance wins over another one of the same recipient', async () => {
    const { message_id } = await addBacklog(db, 1)
    const [lost] = await claimAll()
    await endPushLeases(db)
    const [again] = await claimAll()
    if (!lost || !again) throw new Error('it was claimed twice')
    await settle(db, [
      { job: again, outcome: { kind: 'message_rejected', reason: 'Odd' } },
      { job: lost, outcome: ACCEPTED },
    ])
    expect(await messageOf(db, message_id)).toMatchObject({ status: 'sent', accepted: 1 })
  })

  it('of a canceled message is recorded', async () => {
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

  it('of a key for another app costs no device its subscription or message', async () => {
    const { message_id, application_id } = await addBacklog(db, 20)
    await settle(db, all(await claimAll(), { kind: 'token_invalid', reason: 'SENDER_ID_MISMATCH' }))
    const { rows } = await sql<{ status: string; error: string }>`select status, error
      from push_credentials where provider = 'fcm' and application_id = ${application_id}`.execute(
      db,
    )
    expect(rows).toMatchObject([{ status: 'needs_attention' }])
    expect(rows[0]?.error).toMatch(/another Firebase project/)
    const invalid = await db
      .selectFrom('push_subscriptions')
      .select('id')
      .where('invalidated_at', 'is not', null)
      .execute()
    expect(invalid).toEqual([])
    expect(await messageOf(db, message_id)).toMatchObject({ status: 'sending', failed: 0 })
    expect(await batchesOf(db, message_id)).toMatchObject([{ lease_id: null }])
  })

  it('contains nothing that cannot be stored, whatever a provider answers', async () => {
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

  it('of a token that has been replaced invalidates no subscription', async () => {
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
