/** The migration that puts the organization into all keys, of a database that is in use. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { createLog } from '../platform/log.ts'
import { packageRoot } from '../platform/package-root.ts'
import { type Database, openDatabase } from '../platform/postgres/db.ts'
import { migrate, readMigrations } from '../platform/postgres/migrate.ts'

const ONLINE = '0028_organization_in_keys.sql'
/** Drops an index of the migration above. */
const AFTER = '0054_push_token_index.sql'
/** It changes tables in a way that the migration above cannot be repeated on. */
const PARTITIONED = '0058_audit_partitions.sql'
const admin = testDatabase()
const name = `keys_${randomUUID().slice(0, 8)}`
const [org_id, application_id, message_id, subscription_id] = [1, 2, 3, 4].map(() => randomUUID())
/** Without those that need the tables in their later form. */
const all = readMigrations(join(packageRoot(), 'migrations', 'postgres')).filter(
  (migration) => migration.name < PARTITIONED,
)
let db: Database

beforeAll(async () => {
  await sql`create database ${sql.id(name)}`.execute(admin)
  db = openDatabase({
    server: { ...inject('postgres'), database: name },
    pool_size: 4,
    prepared_statements: true,
    log: createLog('silent'),
  })
  await migrate(
    db,
    all.filter((migration) => migration.name < ONLINE),
  )
})
afterAll(async () => {
  await db.destroy()
  await sql`drop database ${sql.id(name)} with (force)`.execute(admin)
})

/** The statements of the previous version. */
const addRecipients = async (count: number) => {
  await sql`
    insert into push_recipients (message_id, provider, subscription_id)
    select ${message_id}, 'fcm', gen_random_uuid() from generate_series(1, ${count}::integer)`.execute(
    db,
  )
  await sql`
    insert into push_batches (application_id, provider, message_id, first_id, last_id, is_broadcast,
      recipients, due_at)
    values (${application_id}, 'fcm', ${message_id}, gen_random_uuid(), gen_random_uuid(), true, 1,
      now())`.execute(db)
}
const useAssertion = async (jti: string) =>
  await sql`
    insert into push_identity_uses as used (jti, subscription_id, expires_at)
    values (${jti}::uuid, ${subscription_id}::uuid, now())
    on conflict (jti) do update set jti = used.jti`.execute(db)

const ownersOf = async (table: string) => {
  const { rows } = await sql<{ org_id: string; rows: number }>`
    select org_id, count(*) as rows from ${sql.table(table)} group by 1`.execute(db)
  return rows
}

it('fills in the organization, while nodes of the previous version go on, and can be interrupted', async () => {
  await sql`
    insert into push_messages (id, org_id, application_id, target, target_ids, content, status,
      send_at, give_up_at, targeted, created_at)
    values (${message_id}, ${org_id}, ${application_id}, 'all', '{}', '{}', 'sending', now(), now(),
      1, now())`.execute(db)
  await sql`
    insert into push_subscriptions (application_id, id, org_id, provider, token, token_hash,
      token_registered_at, permission, created_at, updated_at)
    values (${application_id}, ${subscription_id}, ${org_id}, 'fcm', 't', gen_random_uuid(), now(),
      'granted', now(), now())`.execute(db)
  // More than one portion.
  await addRecipients(5001)
  const jti = randomUUID()
  await useAssertion(jti)
  // An interruption leaves this behind.
  await sql`create unique index push_batches_key on push_batches (message_id)`.execute(db)
  await sql`update pg_index set indisvalid = false
    where indexrelid = 'push_batches_key'::regclass`.execute(db)

  expect(await migrate(db, all)).toContain(ONLINE)
  await addRecipients(1)
  for (const use of [jti, randomUUID()]) await useAssertion(use)
  expect(await ownersOf('push_recipients')).toEqual([{ org_id, rows: 5002 }])
  expect(await ownersOf('push_batches')).toEqual([{ org_id, rows: 2 }])
  expect(await ownersOf('push_identity_uses')).toEqual([{ org_id, rows: 2 }])

  const indexes = async () =>
    (await sql`select indexname, indexdef from pg_indexes order by 1`.execute(db)).rows
  const before = await indexes()
  await sql`delete from schema_migrations where name in (${ONLINE}, ${AFTER})`.execute(db)
  expect(await migrate(db, all)).toEqual([ONLINE, AFTER])
  expect(await indexes()).toEqual(before)
})

it('moves no table out of reach while it waits for a transaction that uses it', async () => {
  await sql`delete from schema_migrations where name = ${ONLINE}`.execute(db)
  let release: () => void = () => undefined
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  let migrating: Promise<string[]> | undefined
  await db.transaction().execute(async (tx) => {
    await sql`select count(*) from push_messages`.execute(tx)
    migrating = migrate(db, all)
    // A request that writes to the table goes on, although the migration waits for the transaction.
    setTimeout(release, 300)
    await isReleased
    await sql`update push_messages set targeted = 2 where id = ${message_id}`.execute(db)
  })
  expect(await migrating).toEqual([ONLINE])
})
