/**
 * Forward-only migrations of the analytics engine: numbered SQL files, each applied once. ClickHouse
 * has no transactions for DDL, so every statement must be repeatable: a migration that was
 * interrupted, or that several nodes apply at the same time, is simply applied again.
 */
import { OperatorError, reasonOf } from '../operator-error.ts'
import { type AppliedMigration, type Migration, withoutApplied } from '../postgres/migrate.ts'
import type { ClickHouse } from './client.ts'
import {
  type DatabaseForm,
  localName,
  migrationsTable,
  onCluster,
  statementsFor,
} from './cluster.ts'
import { CODE, EngineRefusal, isMissing } from './errors.ts'
import { nameLiteral, statementsOf } from './sql-text.ts'

export type { DatabaseForm } from './cluster.ts'

/** @param admin a client of a database that certainly exists */
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
 * @throws OperatorError if the database is newer than this program or an applied file was edited
 */
export async function migrateAnalytics(
  clickhouse: ClickHouse,
  migrations: readonly Migration[],
  form: DatabaseForm,
): Promise<string[]> {
  await refuseOtherForm(clickhouse, migrations, form)
  await clickhouse.command(migrationsTable(form))
  const pending = await pendingAnalyticsMigrations(clickhouse, migrations)
  for (const migration of pending) await apply(clickhouse, migration, form)
  await updateRetention(clickhouse, migrations, form)
  return pending.map(({ name }) => name)
}

/** Tables of a single server are not converted in place, and would remain what they are without a word. */
async function refuseOtherForm(
  clickhouse: ClickHouse,
  migrations: readonly Migration[],
  { database, cluster }: DatabaseForm,
): Promise<void> {
  if (cluster === undefined) return
  const found = await clickhouse.query<{ name: string }>(
    `select name from system.tables where database = {database:String}
       and name in {names:Array(String)} and engine != 'Distributed' order by name`,
    { database, names: tablesOf(migrations) },
  )
  if (found.length === 0) return
  throw new OperatorError(
    `The database ${database} has tables of a single server (${found.map(({ name }) => name).join(', ')}), so VIGIL_CLICKHOUSE_CLUSTER cannot use it. Name another database in CLICKHOUSE_URL, and copy the rows with \`vigil logs copy\` (docs/operate/analytics.md).`,
  )
}

/** Returns the migrations that have not been applied, without changing anything. */
export async function pendingAnalyticsMigrations(
  clickhouse: ClickHouse,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  const applied = await appliedMigrations(clickhouse)
  return withoutApplied(migrations, applied, 'analytics database')
}

/** Several nodes may have recorded the same migration. */
async function appliedMigrations(clickhouse: ClickHouse): Promise<AppliedMigration[]> {
  try {
    return await clickhouse.query(
      'select distinct name, checksum from vigil_migrations order by name',
    )
  } catch (error) {
    if (isMissing(error)) return []
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
    const problem = `Migration ${name} of the analytics database failed: ${reasonOf(cause)}`
    throw new OperatorError(problem, { cause })
  }
  const sql =
    'insert into vigil_migrations (name, checksum) values ({name:String}, {checksum:String})'
  await clickhouse.command(sql, { name, checksum })
}

/** Applies the retention setting, which can change after the tables were created. */
async function updateRetention(
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
    const alter = `alter table ${local}${onCluster(form.cluster)} modify ttl ${expression}`
    await clickhouse.command(alter)
  }
}

const TABLE = /^(?:create\s+table\s+if\s+not\s+exists|alter\s+table)\s+(\w+)/i

/** Returns the tables with a TTL by the setting, and the TTL expression of the newest migration. */
export function lifetimesOf(
  migrations: readonly Migration[],
): { table: string; lifetime: string }[] {
  const lifetimes = new Map<string, string>()
  for (const statement of migrations.flatMap(({ text }) => statementsOf(text))) {
    const table = TABLE.exec(statement)?.[1]
    const lifetime = /\bttl\s+(\S.*toIntervalDay\(\{retention_days\}\))/is.exec(statement)?.[1]
    if (table !== undefined && lifetime !== undefined) lifetimes.set(table, lifetime)
  }
  return [...lifetimes].map(([table, lifetime]) => ({ table, lifetime }))
}

const CREATED = /^create\s+table\s+if\s+not\s+exists\s+(\w+)/i

/** Names of the tables that hold rows. */
export const tablesOf = (migrations: readonly Migration[]): string[] =>
  migrations
    .flatMap(({ text }) => statementsOf(text))
    .flatMap((statement) => CREATED.exec(statement)?.[1] ?? [])
