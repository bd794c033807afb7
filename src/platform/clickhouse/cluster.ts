/**
 * Adapts the statements of a migration to an installation: inserts its settings and, for a cluster,
 * makes every table a Replicated one on each shard (`name_local`) with a Distributed one (`name`) in
 * front, so that queries and inserts are the same as on a single server.
 */
import { nameLiteral, piecesOf, statementsOf, textLiteral } from './sql-text.ts'

export type DatabaseForm = {
  database: string
  /** Undefined for a single server and for the embedded engine. */
  cluster: string | undefined
  retention_days: number
}

/**
 * All rows of an organization are on one shard, so that its queries use no other, and its roll-ups are complete there.
 * A retried row goes to the same shard again.
 */
export const SHARDING_KEY = 'cityHash64(org_id)'
/** A block can be retried for a week; the default of ClickHouse has been an hour. */
const DEDUPLICATION_SECONDS = 604_800

/** Each server replaces the macros in braces. */
const REPLICA = "'/clickhouse/tables/{database}/{table}/{shard}', '{replica}'"

const CREATE_TABLE = /^create\s+table\s+if\s+not\s+exists\s+(\w+)/i
const ALTER_TABLE = /^alter\s+table\s+(\w+)/i
const ENGINE = /\bengine\s*=\s*(\w*)MergeTree\b(?:\(([^()]*)\))?/i
const COLUMN_CHANGE = /^alter\s+table\s+\w+\s+(?:add|drop|modify|rename)\s+column\b/i

/** @param text of a migration, whose statements must all be repeatable */
export function statementsFor(text: string, form: DatabaseForm): string[] {
  const { database, cluster, retention_days } = form
  return statementsOf(text.replaceAll('{retention_days}', String(retention_days))).flatMap(
    (statement) =>
      cluster === undefined ? [statement] : clusterForm(statement, database, cluster),
  )
}

/** Name of the table that holds the rows on each server. */
export const localName = (table: string, cluster: string | undefined): string =>
  cluster === undefined ? table : `${table}_local`

export const onCluster = (cluster: string | undefined): string =>
  cluster === undefined ? '' : ` on cluster ${nameLiteral(cluster)}`

/** The applied migrations are shared by all nodes of all shards, so the table has a single path. */
export function migrationsTable({ cluster }: DatabaseForm): string {
  const engine =
    cluster === undefined
      ? 'MergeTree'
      : "ReplicatedMergeTree('/clickhouse/tables/{database}/vigil_migrations', '{shard}-{replica}')"
  return `create table if not exists vigil_migrations${onCluster(cluster)} (
  name String,
  checksum String,
  applied_at DateTime64(3, 'UTC') default now64(3)
) engine = ${engine} order by name`
}

function clusterForm(statement: string, database: string, cluster: string): string[] {
  const created = CREATE_TABLE.exec(statement)?.[1]
  if (created !== undefined) return createTable(statement, created, { database, cluster })
  const altered = ALTER_TABLE.exec(statement)?.[1]
  if (altered === undefined) {
    throw new Error(`No cluster form is known for this statement: ${statement.slice(0, 80)}`)
  }
  const forTable = (table: string) =>
    statement.replace(ALTER_TABLE, `alter table ${table}${onCluster(cluster)}`)
  const local = forTable(localName(altered, cluster))
  // Indexes, projections and TTLs exist only on the tables that hold rows.
  return COLUMN_CHANGE.test(statement) ? [local, forTable(altered)] : [local]
}

function createTable(
  statement: string,
  table: string,
  { database, cluster }: { database: string; cluster: string },
): string[] {
  const name = localName(table, cluster)
  const opening = `create table if not exists ${name}${onCluster(cluster)}`
  const local = piecesOf(statement)
    .map(({ kind, text }) => (kind === 'code' ? replicated(text) : text))
    .join('')
    .replace(CREATE_TABLE, opening)
  const place = [textLiteral(cluster), textLiteral(database), textLiteral(name), SHARDING_KEY]
  const front = `create table if not exists ${table}${onCluster(cluster)} as ${name}
engine = Distributed(${place.join(', ')})`
  return [local, front]
}

const replicated = (code: string): string =>
  code
    .replace(ENGINE, (_, kind: string, args: string | undefined) => {
      const ownArgs = args === undefined || args.trim() === '' ? '' : `, ${args.trim()}`
      return `engine = Replicated${kind}MergeTree(${REPLICA}${ownArgs})`
    })
    .replace(
      /\bnon_replicated_deduplication_window\s*=\s*(\d+)/i,
      `replicated_deduplication_window = $1, replicated_deduplication_window_seconds = ${DEDUPLICATION_SECONDS}`,
    )
