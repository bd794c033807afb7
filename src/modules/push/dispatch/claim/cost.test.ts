import { sql } from 'kysely'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { ownDatabase } from '../../../../../test/database.ts'
import {
  addBacklog,
  addPushApp,
  clearPush,
  fakeCredentialCache,
} from '../../../../../test/support/push-dispatch.ts'
import { messageOf } from '../../../../../test/support/push-messages.ts'
import type { Room } from '../../../../platform/dispatch/index.ts'
import { createIds } from '../../../../platform/ids.ts'
import { createLog } from '../../../../platform/log.ts'
import { type Database, openDatabase } from '../../../../platform/postgres/db.ts'
import type { CredentialCache } from '../../credentials/credential-cache.ts'
import { settle } from '../settling/settle.ts'
import { createClaim } from './claim.ts'

const db = ownDatabase()

/** The only connection of a test: a server reports the reads of other connections seconds later. */
let one: Database

beforeEach(async () => {
  one = await openOne()
})

afterEach(async () => {
  await clearPush(one)
  await countRead()
  await one.destroy()
})

const MANY = 20_000
/** The end of the name of a partition. */
const PARTITION = '_(first|default|from_[0-9]+)$'
const TABLES = ['push_batches', 'push_recipients', 'push_messages', 'push_subscriptions']

async function openOne(): Promise<Database> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  return openDatabase({
    server: { ...inject('postgres'), database: rows[0]?.name ?? '' },
    pool_size: 1,
    prepared_statements: true,
    log: createLog('silent'),
  })
}

/** Adds messages, most of them completed, and batches of another app that are not due. */
async function addOthers(): Promise<void> {
  const { org_id, application_id } = await addPushApp(one)
  await sql`update push_credentials set paused_until = now() + interval '1 hour'
    where application_id = ${application_id}`.execute(one)
  await sql`
    insert into push_messages (id, org_id, application_id, target, target_ids, content, status,
      send_at, give_up_at, targeted, recipients, accepted, created_at, completed_at)
    select gen_random_uuid(), ${org_id}, ${application_id}, 'all', '{}', '{}',
      case when n % 10 = 0 then 'sending' else 'sent' end, now(), now(), 1, 1, 1, now(),
      case when n % 10 > 0 then now() end
    from generate_series(1, ${MANY}::integer) n`.execute(one)
  await sql`
    insert into push_recipients (org_id, message_id, provider, subscription_id, status, settled_at)
    select org_id, id, 'fcm', gen_random_uuid(), 'accepted', now() from push_messages`.execute(one)
  await sql`
    insert into push_batches (org_id, application_id, provider, message_id, first_id, last_id,
      is_broadcast, recipients, due_at)
    select ${org_id}, ${application_id}, 'fcm', gen_random_uuid(), gen_random_uuid(), gen_random_uuid(),
      n % 2 = 0, 1, now()
    from generate_series(1, ${MANY}::integer) n`.execute(one)
}

const ROOM: Room = { jobs: 1000, in_flight: new Map() }

const claimOf = (credentialCache: CredentialCache = fakeCredentialCache) =>
  createClaim({
    db: one,
    credentialCache,
    newId: createIds(),
    clock: { now: () => new Date() },
    deadline_ms: 1000,
    channel_max: 750,
    probing_max: 20,
  })

/** Number of rows read for claiming and for settling a message to 100 devices. */
async function costOfSending(
  provider_id = 'projects/p/messages/1',
): Promise<{ claim: number; settle: number }> {
  const { message_id } = await addBacklog(one, 100)
  const claim = claimOf()
  const before = await countRead()
  const { jobs } = await claim(ROOM)
  const between = await countRead()
  expect(jobs).toHaveLength(100)
  await settle(
    one,
    jobs.map((job) => ({ job, outcome: { kind: 'accepted', provider_id } })),
  )
  const after = await countRead()
  expect(await messageOf(one, message_id)).toMatchObject({ status: 'sent' })
  return { claim: between - before, settle: after - between }
}

async function countRead(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(one)
  const { rows } = await sql<{ read: number }>`
    select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 as read
    from pg_stat_user_tables where regexp_replace(relname, ${PARTITION}, '') = any (${TABLES}::text[])`.execute(
    one,
  )
  return rows[0]?.read ?? 0
}

it('costs the same regardless of past messages and the backlog of other apps', async () => {
  const alone = await costOfSending()
  await addOthers()
  const among = await costOfSending()
  expect(among.claim).toBeLessThan(alone.claim + 20)
  expect(among.settle).toBeLessThan(alone.settle + 20)
  // Recipients and subscriptions once; recipients again when they are written, and at the end.
  expect(among.claim).toBeLessThan(250)
  expect(among.settle).toBeLessThan(450)
})

it('costs the same with a plan that was cached while the tables were empty', async () => {
  const look = claimOf()
  for (let use = 0; use < 12; use += 1) {
    await costOfSending()
    await clearPush(one)
    // As autovacuum does once everything has been sent.
    await sql`vacuum analyze push_batches, push_recipients, push_messages`.execute(one)
    for (let looks = 0; looks < 12; looks += 1) await look(ROOM)
  }
  await addOthers()
  const { claim, settle: settling } = await costOfSending()
  expect(claim).toBeLessThan(250)
  expect(settling).toBeLessThan(450)
})

it('does not read more rows of an app because of its own backlog', async () => {
  await addOthers()
  await sql`update push_credentials set paused_until = null`.execute(one)
  await sql`update push_batches set recipients = 100, due_at = now() + random() * interval '1 hour',
    is_broadcast = true`.execute(one)
  await sql`update push_batches set due_at = now() where ctid in (
    select ctid from push_batches limit 5000)`.execute(one)
  const claim = claimOf({ open: () => Promise.reject(new Error('no credential needed')) })
  const before = await countRead()
  await expect(claim(ROOM)).rejects.toThrow('no credential needed')
  expect((await countRead()) - before).toBeLessThan(200)
})

it('writes outcomes as HOT updates', async () => {
  const before = await countUpdates()
  // As long as an id of FCM.
  await costOfSending(`projects/a-project-of-twenty/messages/0:${'1'.repeat(34)}`)
  const after = await countUpdates()
  expect(after.updates - before.updates).toBe(100)
  expect(after.in_place - before.in_place).toBeGreaterThan(90)
})

async function countUpdates(): Promise<{ updates: number; in_place: number }> {
  await sql`select pg_stat_force_next_flush()`.execute(one)
  const { rows } = await sql<{ updates: number; in_place: number }>`
    select sum(n_tup_upd)::float8 as updates, sum(n_tup_hot_upd)::float8 as in_place from pg_stat_user_tables
    where regexp_replace(relname, ${PARTITION}, '') = 'push_recipients'`.execute(one)
  return rows[0] ?? { updates: 0, in_place: 0 }
}
