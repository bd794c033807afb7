/**
 * Forward-only migrations: numbered SQL files. Each is applied once, in its own transaction, by one
 * process at a time. One that begins with `-- online` changes large tables while they are in use: its
 * statements run outside of a transaction (src/platform/postgres/online-migration.ts).
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import { OperatorError } from '../operator-error.ts'
import type { Database, Db } from './db.ts'
import { applyOnline, isOnline } from './online-migration.ts'

/** An arbitrary constant that all Vigil processes share. */
const MIGRATION_LOCK = 7_164_515
const BUSY_PAUSE_MS = 50

export const createMigrationsTable = `create table if not exists schema_migrations (
  name text primary key,
  checksum text not null,
  applied_at timestamptz not null default now()
)`

/** Until the end of the transaction, no other process creates or changes tables. */
export async function lockMigrations(run: (statement: string) => Promise<unknown>): Promise<void> {
  await run(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`)
}

export type Migration = { name: string; text: string; checksum: string }

/**
 * Nothing outlasts a transaction, so that it works through a pooler that gives each transaction another
 * connection. An online migration needs a second connection.
 * @returns names of the migrations that were applied now
 */
export async function migrate(db: Database, migrations: Migration[]): Promise<string[]> {
  const applied: string[] = []
  const pending = await pendingMigrations(db, migrations)
  for (const migration of pending) {
    // Another process may have applied it in the meantime, or be applying it.
    let outcome = await apply(db, migration, migrations)
    while (outcome === 'busy') {
      await pause(BUSY_PAUSE_MS)
      outcome = await apply(db, migration, migrations)
    }
    if (outcome === 'applied') applied.push(migration.name)
  }
  return applied
}

export function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder).filter((name) => /^\d{4}_\w+\.sql$/.test(name))
  return names.toSorted().map((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
  })
}

/**
 * Returns the migrations that have not been applied, without changing anything.
 * @throws OperatorError if an applied file was edited or the database is newer than this program
 */
export async function pendingMigrations(db: Db, migrations: Migration[]): Promise<Migration[]> {
  return withoutApplied(migrations, await appliedMigrations(db))
}

export type MigrationState = { migration: Migration; applied_at: Date | null }

/**
 * Returns when each migration was applied, without changing anything.
 * @throws OperatorError if an applied file was edited or the database is newer than this program
 */
export async function readMigrationStates(
  db: Db,
  migrations: Migration[],
): Promise<MigrationState[]> {
  const applied = await appliedMigrations(db)
  withoutApplied(migrations, applied)
  const times = new Map(applied.map(({ name, applied_at }) => [name, applied_at]))
  return migrations.map((migration) => ({
    migration,
    applied_at: times.get(migration.name) ?? null,
  }))
}

export type AppliedMigration = Pick<Migration, 'name' | 'checksum'>

/** @throws OperatorError if an applied file was edited or the database is newer than this program */
export function withoutApplied(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
  database = 'database',
): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration.checksum]))
  for (const { name, checksum } of applied) {
    const expected = known.get(name)
    if (expected === undefined) {
      throw new OperatorError(
        `The ${database} has migration ${name}, which this version of Vigil lacks: it was last used by a newer version. Start that version, or restore a backup.`,
      )
    }
    if (expected !== checksum) {
      const of = database === 'database' ? '' : ` of the ${database}`
      throw new OperatorError(
        `Migration ${name}${of} was changed after it had been applied. Restore the file and add a new migration instead.`,
      )
    }
  }
  const names = new Set(applied.map(({ name }) => name))
  return migrations.filter(({ name }) => !names.has(name))
}

async function appliedMigrations(db: Db): Promise<(AppliedMigration & { applied_at: Date })[]> {
  const found = await sql<{ is_there: boolean }>`
    select to_regclass('schema_migrations') is not null as is_there`.execute(db)
  if (found.rows[0]?.is_there !== true) return []
  const { rows } = await sql<AppliedMigration & { applied_at: Date }>`
    select name, checksum, applied_at from schema_migrations order by name`.execute(db)
  return rows
}

/**
 * Does not wait for the lock: a statement that waits has a snapshot, and an online migration would wait
 * for its end in turn.
 */
async function apply(
  db: Database,
  { name, text, checksum }: Migration,
  all: Migration[],
): Promise<'applied' | 'known' | 'busy'> {
  return await db.transaction().execute(async (tx) => {
    // Migrating a large table takes long.
    await sql`set local statement_timeout = 0`.execute(tx)
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
    const { rows } = await sql<{ is_taken: boolean }>`
        select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as is_taken`.execute(tx)
    if (rows[0]?.is_taken !== true) return 'busy'
    await tx.executeQuery(CompiledQuery.raw(createMigrationsTable))
    const pending = await pendingMigrations(tx, all)
    if (!pending.some((migration) => migration.name === name)) return 'known'
    try {
      if (isOnline(text)) {
        // A connection holds the snapshot of its last query until another statement takes its place, and
        // an index that is built concurrently waits for all older snapshots.
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
        await applyOnline(db, text)
      } else await tx.executeQuery(CompiledQuery.raw(text))
    } catch (cause) {
      throw new Error(`Migration ${name} failed: ${String(cause)}`, { cause })
    }
    const record = sql`insert into schema_migrations (name, checksum) values (${name}, ${checksum})`
    await record.execute(tx)
    return 'applied'
  })
}
