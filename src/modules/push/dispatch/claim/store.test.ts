import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../../test/database.ts'
import { backendOf, untilBlockedBy } from '../../../../../test/support/locks.ts'
import {
  addBacklog,
  addPushApp,
  addPushMessage,
  clearPush,
  endPushLeases,
} from '../../../../../test/support/push-dispatch.ts'
import type { Db } from '../../../../platform/postgres/db.ts'
import {
  type ChannelKey,
  type ClaimedBatch,
  type ClaimQuery,
  claimBatches,
  listRecipients,
  type Recipient,
} from './store.ts'

const db = ownDatabase()
const LEASE_MS = 60_000
const FIRST: ChannelKey = {
  application_id: '00000000-0000-0000-0000-000000000000',
  provider: 'apns',
}

afterEach(async () => await clearPush(db))

const claim = async (given: Partial<ClaimQuery> = {}) =>
  await claimBatches(db, {
    lease_id: randomUUID(),
    lease_ms: LEASE_MS,
    recipients_max: 1000,
    channel_max: 750,
    probing_max: 20,
    in_flight: [],
    channels_max: 256,
    after: FIRST,
    ...given,
  })

const perApp = (batches: readonly ClaimedBatch[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { application_id } of batches) {
    counts[application_id] = (counts[application_id] ?? 0) + 1
  }
  return counts
}

describe('claiming', () => {
  it('returns what is needed for sending, with the credential once per app', async () => {
    const { application_id, message_id, ids } = await addBacklog(db, 150)
    const { batches, stopped_at } = await claim()
    expect(stopped_at).toBeUndefined()
    expect(batches).toHaveLength(2)
    expect(batches.filter(({ sealed }) => sealed !== null)).toHaveLength(1)
    expect(batches.toSorted((a, b) => (a.first_id < b.first_id ? -1 : 1))[0]).toMatchObject({
      application_id,
      provider: 'fcm',
      message_id,
      first_id: ids[0],
      last_id: ids[99],
      was_leased: false,
      is_probing: false,
      app_name: 'com.example.app',
    })
  })

  it('does not return leased batches, and marks them as repeated after the lease', async () => {
    await addBacklog(db, 150)
    expect((await claim()).batches).toHaveLength(2)
    expect((await claim()).batches).toEqual([])
    await endPushLeases(db)
    expect((await claim()).batches.map(({ was_leased }) => was_leased)).toEqual([true, true])
  })

  it('returns each batch to only one of many concurrent claims', async () => {
    for (let app = 0; app < 5; app += 1) await addBacklog(db, 40, { batch_size: 5 })
    const claims = await Promise.all(Array.from({ length: 6 }, () => claim({ recipients_max: 60 })))
    const ids = claims.flatMap(({ batches }) => batches.map(({ first_id }) => first_id))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThanOrEqual(12)
  })

  it('takes a share of each app, so that a large one does not displace a small one', async () => {
    const large = await addBacklog(db, 500, { batch_size: 10, target: 'subscription_ids' })
    const small = await addBacklog(db, 3)
    const { batches } = await claim({ recipients_max: 100, channel_max: 75 })
    expect(perApp(batches)).toEqual({ [large.application_id]: 7, [small.application_id]: 1 })
  })

  it('prefers the apps with the fewest recipients under way', async () => {
    const busy = await addBacklog(db, 50, { batch_size: 10 })
    const idle = await addBacklog(db, 50, { batch_size: 10 })
    const in_flight = [{ application_id: busy.application_id, provider: 'fcm' as const, jobs: 30 }]
    const { batches } = await claim({ recipients_max: 30, in_flight })
    expect(perApp(batches)).toEqual({ [idle.application_id]: 3 })
  })

  it('takes nothing of an app whose share is under way', async () => {
    const { application_id } = await addBacklog(db, 50)
    const withJobs = async (jobs: number) =>
      (await claim({ in_flight: [{ application_id, provider: 'fcm', jobs }] })).batches
    expect(await withJobs(750)).toEqual([])
    expect(await withJobs(701)).toEqual([])
    expect(await withJobs(700)).toHaveLength(1)
  })

  it('takes a batch larger than the room, if it is the only one', async () => {
    await addBacklog(db, 100)
    await addBacklog(db, 100)
    expect((await claim({ recipients_max: 8, channel_max: 6 })).batches).toHaveLength(1)
  })

  it('takes small messages before broadcasts, and earlier due times first', async () => {
    const app = await addPushApp(db)
    const later = await addBacklog(db, 10, { app })
    await sql`update push_batches set due_at = due_at - interval '1 minute'`.execute(db)
    const broadcast = await addBacklog(db, 10, { app })
    const single = await addBacklog(db, 1, { app, target: 'subscription_ids' })
    const order: (string | undefined)[] = []
    for (let turn = 0; turn < 3; turn += 1) {
      order.push((await claim({ recipients_max: 10 })).batches[0]?.message_id)
    }
    expect(order).toEqual([single.message_id, later.message_id, broadcast.message_id])
  })

  it.each([
    ['is paused', sql`update push_credentials set paused_until = now() + interval '1 minute'`],
    ['needs attention', sql`update push_credentials set status = 'needs_attention', error = 'x'`],
    ['does not exist', sql`delete from push_credentials`],
    ['belongs to a deleted app', sql`update applications set deleted_at = now()`],
  ])('takes nothing if the credential %s', async (_name, change) => {
    await addBacklog(db, 10)
    await change.execute(db)
    const well = await addBacklog(db, 10)
    expect(perApp((await claim()).batches)).toEqual({ [well.application_id]: 1 })
  })

  it('takes a single batch after a pause, until something is accepted', async () => {
    const { application_id } = await addBacklog(db, 50, { batch_size: 15 })
    await sql`update push_credentials set pauses = 2, paused_until = now()`.execute(db)
    const { batches } = await claim()
    expect(batches).toMatchObject([{ is_probing: true }])
    const in_flight = [{ application_id, provider: 'fcm' as const, jobs: 15 }]
    expect((await claim({ in_flight })).batches).toEqual([])
  })

  it('examines a limited number of apps, and the others the next time', async () => {
    for (let app = 0; app < 5; app += 1) await addBacklog(db, 1)
    const seen: string[] = []
    let after: ChannelKey | undefined = FIRST
    for (let turn = 0; turn < 3 && after; turn += 1) {
      const { batches, stopped_at } = await claim({ channels_max: 2, after })
      seen.push(...batches.map(({ application_id }) => application_id))
      after = stopped_at
    }
    expect(after).toBeUndefined()
    expect(new Set(seen).size).toBe(5)
  })

  it('continues after apps of which nothing can be taken', async () => {
    for (let app = 0; app < 3; app += 1) await addBacklog(db, 1)
    await sql`update push_credentials set paused_until = now() + interval '1 minute'`.execute(db)
    const { batches, stopped_at } = await claim({ channels_max: 2 })
    expect(batches).toEqual([])
    expect(stopped_at).toMatchObject({ provider: 'fcm' })
  })
})

describe('recipients of claimed batches', () => {
  it('are those pending and due, with the tokens of reachable subscriptions', async () => {
    const { ids, message_id } = await addBacklog(db, 6)
    const at = (index: number) => sql`subscription_id = ${ids[index]}`
    await sql`update push_recipients set status = 'accepted' where ${at(0)}`.execute(db)
    await sql`update push_recipients set due_at = now() + interval '1 hour' where ${at(1)}`.execute(
      db,
    )
    await sql`update push_recipients set due_at = now(), attempts = 3, is_unsure = true
      where ${at(2)}`.execute(db)
    await sql`update push_subscriptions set permission = 'denied' where id = ${ids[3]}`.execute(db)
    await sql`delete from push_subscriptions where id = ${ids[4]}`.execute(db)
    const { batches } = await claim()
    const recipients = await listRecipients(db, batches)
    expect(recipients).toMatchObject([
      { batch: 0, subscription_id: ids[2], attempts: 3, is_unsure: true },
      { subscription_id: ids[3], token: null },
      { subscription_id: ids[4], token: null },
      { subscription_id: ids[5], attempts: 0, is_unsure: false },
    ])
    expect(recipients[0]?.token).toMatch(/^token-/)
    expect(batches[0]?.message_id).toBe(message_id)
  })

  it('include what the previous holders of the lease have written', async () => {
    const { ids } = await addBacklog(db, 3)
    await claim()
    await endPushLeases(db)
    let listing: Promise<Recipient[]> = Promise.resolve([])
    await db.transaction().execute(async (tx) => {
      await sql`update push_recipients set status = 'accepted'
        where subscription_id = ${ids[1]}`.execute(tx)
      const { batches } = await claim()
      listing = listRecipients(db, batches)
      await untilBlockedBy(db, await backendOf(tx))
    })
    expect((await listing).map(({ subscription_id }) => subscription_id)).toEqual([ids[0], ids[2]])
  })

  it('are locked in the order in which they are written, in whatever order batches are given', async () => {
    const app = await addBacklog(db, 1)
    await addPushMessage(db, app, app.ids)
    await claim()
    await endPushLeases(db)
    const { batches } = await claim()
    const [last, first] = batches.toSorted((a, b) => (a.message_id < b.message_id ? 1 : -1))
    if (!last || !first) throw new Error('two were claimed')
    const write = async (tx: Db, { message_id }: ClaimedBatch) =>
      await sql`update push_recipients set attempts = 1 where message_id = ${message_id}`.execute(
        tx,
      )
    let listing: Promise<Recipient[]> = Promise.resolve([])
    await db.transaction().execute(async (tx) => {
      await write(tx, first)
      listing = listRecipients(db, [last, first])
      await untilBlockedBy(db, await backendOf(tx))
      await write(tx, last)
    })
    expect(await listing).toHaveLength(2)
  })
})
