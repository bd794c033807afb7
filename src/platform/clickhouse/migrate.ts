/**
 * Forward-only migrations of the analytics engine: numbered SQL files, each applied once. ClickHouse
 * has no transactions over tables, so every statement can be repeated without harm: a migration that
 * was cut off, or that several nodes apply at the same time, is simply applied again.
 */
import { OperatorError, reasonOf } from '../operator-error.ts'
import type { Migration } from '../postgres/migrate.ts'
import type { ClickHouse } from './client.ts'
import {
  type DatabaseForm,
  localName,
  migrationsTable,
  onCluster,
  statementsFor,
} from './cluster.ts'
import { CODE, EngineRefusal } from './errors.ts'
import { nameLiteral, statementsOf } from './sql-text.ts'

export type { DatabaseForm } from './cluster.ts'

/** @param admin a handle on a database that is there, whatever the form says */
export async function ensureDatabase(
  clickhouse: ClickHouse,
  admin: ClickHouse,
  { database, cluster }: DatabaseForm,
): Promise<void> {
  try {
    await clickhouse.query('select 1 as one')
  } catch (error) {
    if (!(error instanceof EngineRefusal) || error.code !== CODE.unknown_database) throw error
    const sql = `create database if not exists ${nameLiteral(database)}${onCluster(cluster)}`
    await admin.command(sql)
  }
}

/**
 * @returns names of the migrations that were applied now
 * @throws OperatorError when the database is ahead of this program, or a file was edited
 */
export async function migrateAnalytics(
  clickhouse: ClickHouse,
  migrations: readonly Migration[],
  form: DatabaseForm,
): Promise<string[]> {
  await clickhouse.command(migrationsTable(form))
  const pending = await pendingAnalyticsMigrations(clickhouse, migrations)
  for (const migration of pending) await apply(clickhouse, migration, form)
  await keepLifetimes(clickhouse, migrations, form)
  return pending.map(({ name }) => name)
}

/** Changes nothing. */
export async function pendingAnalyticsMigrations(
  clickhouse: ClickHouse,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  const applied = await appliedMigrations(clickhouse)
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  for (const { name, checksums } of applied) {
    const migration = known.get(name)
    if (!migration) {
      throw new OperatorError(
        `The analytics database has migration ${name}, which this version of Vigil lacks: it was last used by a newer version. Start that version, or restore a backup.`,
      )
    }
    if (checksums.some((checksum) => checksum !== migration.checksum)) {
      throw new OperatorError(
        `Migration ${name} of the analytics database was changed after it had been applied. Restore the file and write a new migration instead.`,
      )
    }
  }
  const names = new Set(applied.map(({ name }) => name))
  return migrations.filter(({ name }) => !names.has(name))
}

/** Several nodes may have written the same. */
async function appliedMigrations(
  clickhouse: ClickHouse,
): Promise<{ name: string; checksums: string[] }[]> {
  try {
    return await clickhouse.query(`
      select name, groupUniqArray(checksum) as checksums from vigil_migrations
      group by name order by name`)
  } catch (error) {
    const isMissing =
      error instanceof EngineRefusal &&
      (error.code === CODE.unknown_table || error.code === CODE.unknown_database)
    if (isMissing) return []
    throw error
  }
}

async function apply(
  clickhouse: ClickHouse,
  { name, text, checksum }: Migration,
  form: DatabaseForm,
): Promise<void> {
  try {
    for (const statement of statementsFor(text, form)) await clickhouse.command(statement)
  } catch (cause) {
    if (!(cause instanceof EngineRefusal)) throw cause
    throw new OperatorError(
      `Migration ${name} of the analytics database failed: ${reasonOf(cause)}`,
      { cause },
    )
  }
  const note =
    'insert into vigil_migrations (name, checksum) values ({name:String}, {checksum:String})'
  await clickhouse.command(note, { name, checksum })
}

/** How long rows are kept is a setting that may change after the tables were made. */
async function keepLifetimes(
  clickhouse: ClickHouse,
  migrations: readonly Migration[],
  form: DatabaseForm,
): Promise<void> {
  for (const { table, lifetime } of lifetimesOf(migrations)) {
    const local = localName(table, form.cluster)
    const found = await clickhouse.query<{ sql: string }>(
      `select create_table_query as sql from system.tables
       where database = {database:String} and name = {local:String}`,
      { database: form.database, local },
    )
    const days = /\bTTL\b.*?\btoIntervalDay\((\d+)\)/s.exec(found[0]?.sql ?? '')?.[1]
    if (days === undefined || Number(days) === form.retention_days) continue
    const expression = lifetime.replace('{retention_days}', String(form.retention_days))
    await clickhouse.command(
      `alter table ${local}${onCluster(form.cluster)} modify ttl ${expression}`,
    )
  }
}

/** Tables whose rows have a lifetime by the setting, as the newest migration that names it says. */
export function lifetimesOf(
  migrations: readonly Migration[],
): { table: string; lifetime: string }[] {
  const lifetimes = new Map<string, string>()
  for (const statement of migrations.flatMap(({ text }) => statementsOf(text))) {
    const table = /^(?:create\s+table\s+if\s+not\s+exists|alter\s+table)\s+(\w+)/i.exec(
      statement,
    )?.[1]
    const lifetime = /\bttl\s+(\S.*toIntervalDay\(\{retention_days\}\))/is.exec(statement)?.[1]
    if (table !== undefined && lifetime !== undefined) lifetimes.set(table, lifetime)
  }
  return [...lifetimes].map(([table, lifetime]) => ({ table, lifetime }))
}
