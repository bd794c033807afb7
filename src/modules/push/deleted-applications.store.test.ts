import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { createPushModules } from '../../../test/support/push-applications.ts'
import { addApplication } from '../../../test/support/push-fixtures.ts'
import { sweepDeletedApplications } from './deleted-applications.store.ts'

const db = ownDatabase()
const modules = createPushModules(db)
type App = Awaited<ReturnType<typeof addApplication>>

const PUSH_TABLES = [
  'push_configurations',
  'push_credentials',
  'push_subscriptions',
  'push_messages',
  'push_batches',
] as const

/** Adds a credential, subscriptions and an unfinished message to all of them. */
async function fill({ org_id, application_id }: App, subscriptions: number): Promise<void> {
  const message: string = randomUUID()
  await sql`
    insert into push_credentials (application_id, provider, org_id, version, sealed, shown, status,
      stored_at)
    values (${application_id}, 'fcm', ${org_id}, gen_random_uuid(), '', '{}', 'active',
      now())`.execute(db)
  await sql`
    insert into push_subscriptions (application_id, id, org_id, provider, token, token_hash,
      token_registered_at, permission, created_at, updated_at)
    select ${application_id}, gen_random_uuid(), ${org_id}, 'fcm', 'token', gen_random_uuid(), now(),
      'granted', now(), now() from generate_series(1, ${subscriptions}::integer)`.execute(db)
  await sql`
    insert into push_messages (id, org_id, application_id, target, target_ids, content, status,
      send_at, give_up_at, expand_at, targeted, recipients, created_at)
    values (${message}, ${org_id}, ${application_id}, 'all', '{}', '{}', 'sending', now(),
      now() + interval '1 day', now(), ${subscriptions}, ${subscriptions}, now())`.execute(db)
  await sql`
    insert into push_recipients (org_id, message_id, provider, subscription_id)
    select org_id, ${message}, provider, id from push_subscriptions
    where application_id = ${application_id}`.execute(db)
  await sql`
    insert into push_batches (org_id, application_id, provider, message_id, first_id, last_id, is_broadcast,
      recipients, due_at)
    select ${org_id}, ${application_id}, 'fcm', ${message}, id, id, true, 1, now() from push_subscriptions
    where application_id = ${application_id} limit 10`.execute(db)
}

async function countOf({ application_id }: App): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of PUSH_TABLES) {
    const { rows } = await sql<{ count: number }>`select count(*) from ${sql.table(table)}
      where application_id = ${application_id}`.execute(db)
    counts[table] = rows[0]?.count ?? 0
  }
  return counts
}
const recipients = async () =>
  (await sql<{ count: number }>`select count(*) from push_recipients`.execute(db)).rows[0]?.count
const applicationIds = async () =>
  (await db.selectFrom('applications').select('id').orderBy('id').execute()).map(({ id }) => id)
const age = async ({ application_id }: App) => {
  await sql`update applications set deleted_at = now() - interval '11 minutes'
    where id = ${application_id}`.execute(db)
}
const NONE = Object.fromEntries(PUSH_TABLES.map((table) => [table, 0]))

/** @returns what each portion deleted */
async function sweep(): Promise<number[]> {
  const portions: number[] = []
  for (;;) {
    const swept = await sweepDeletedApplications(db)
    if (swept === 0) return portions
    portions.push(swept)
  }
}

describe('the sweep of deleted applications', () => {
  it('deletes all that belonged to them, in portions, and spares the others', async () => {
    const [active, gone] = [
      await addApplication(db, { credentials: [] }),
      await addApplication(db, { credentials: [] }),
    ]
    await fill(active, 20)
    await fill(gone, 12_000)
    expect(await sweep()).toEqual([])
    const before = await countOf(active)
    await modules.applications.remove(gone.org_id, gone.application_id)
    const portions = await sweep()
    expect(portions.length).toBeGreaterThan(1)
    expect(Math.max(...portions)).toBeLessThanOrEqual(15_100)
    expect(await countOf(gone)).toEqual(NONE)
    expect(await countOf(active)).toEqual(before)
    expect(await recipients()).toBe(20)
    expect(await applicationIds()).toEqual([active.application_id, gone.application_id].toSorted())
    await age(gone)
    expect(await sweep()).toEqual([1])
    expect(await applicationIds()).toEqual([active.application_id])
  })

  it('stops a message before it deletes what it was made into', async () => {
    const app = await addApplication(db, { credentials: [] })
    await fill(app, 11_000)
    await modules.applications.remove(app.org_id, app.application_id)
    await sweepDeletedApplications(db)
    const message = await db
      .selectFrom('push_messages')
      .select(['status', 'expand_at'])
      .where('application_id', '=', app.application_id)
      .executeTakeFirst()
    expect(message).toEqual({ status: 'cancelled', expand_at: null })
    await sweep()
    expect(await countOf(app)).toEqual(NONE)
  })

  it('finds what was stored while it was being deleted', async () => {
    const app = await addApplication(db, { credentials: [] })
    await modules.applications.remove(app.org_id, app.application_id)
    await sweep()
    await fill(app, 3)
    await age(app)
    await sweep()
    expect(await countOf(app)).toEqual(NONE)
    expect(await applicationIds()).not.toContain(app.application_id)
  })
})
