/**
 * Forward-only migrations: numbered SQL files. Each is applied once, in its own transaction, by one
 * process at a time.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CompiledQuery, sql } from 'kysely'
import { OperatorError } from '../operator-error.ts'
import type { Database, Db } from './db.ts'

/** An arbitrary constant that all Vigil processes share. */
const MIGRATION_LOCK = 7_164_515

export type Migration = { name: string; text: string; checksum: string }

/** @returns names of the migrations that were applied now */
export async function migrate(db: Database, migrations: Migration[]): Promise<string[]> {
  return await db.connection().execute(async (connection) => {
    // Migrating a large table takes long, and so does waiting for the process that does it.
    await sql`set statement_timeout = 0`.execute(connection)
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`.execute(connection)
    try {
      await sql`create table if not exists schema_migrations (
        name text primary key,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`.execute(connection)
      const pending = await pendingMigrations(connection, migrations)
      for (const migration of pending) await apply(connection, migration)
      return pending.map(({ name }) => name)
    } finally {
      await restoreSession(connection)
    }
  })
}

/** Fails only on a broken connection, on which the lock and the setting no longer exist. */
async function restoreSession(connection: Db): Promise<void> {
  try {
    await sql`select pg_advisory_unlock(${MIGRATION_LOCK})`.execute(connection)
    await sql`reset statement_timeout`.execute(connection)
  } catch {
    // The error that broke the connection is the one to report.
  }
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

async function appliedMigrations(db: Db): Promise<AppliedMigration[]> {
  const found = await sql<{ is_there: boolean }>`
    select to_regclass('schema_migrations') is not null as is_there`.execute(db)
  if (found.rows[0]?.is_there !== true) return []
  const { rows } = await sql<AppliedMigration>`
    select name, checksum from schema_migrations order by name`.execute(db)
  return rows
}

async function apply(db: Db, { name, text, checksum }: Migration): Promise<void> {
  await sql`begin`.execute(db)
  try {
    await db.executeQuery(CompiledQuery.raw(text))
    const record = sql`insert into schema_migrations (name, checksum) values (${name}, ${checksum})`
    await record.execute(db)
    await sql`commit`.execute(db)
  } catch (cause) {
    // Without a connection there is nothing to roll back, and the cause is the error to report.
    await sql`rollback`.execute(db).catch(() => undefined)
    throw new Error(`Migration ${name} failed: ${String(cause)}`, { cause })
  }
}
