/**
 * The statements of a migration as a database wants them: with the settings of this installation in
 * their places, and for a cluster in its form. There every table is a Replicated one on each shard
 * (`name_local`) with a Distributed one (`name`) in front, so that queries and inserts stay the same.
 */
import { nameLiteral, piecesOf, statementsOf, textLiteral } from './sql-text.ts'

export type DatabaseForm = {
  database: string
  /** undefined: one server, or the embedded engine. */
  cluster: string | undefined
  retention_days: number
}

/** Rows of one block stay together with their retries, and organisations are spread. */
const SHARDING_KEY = 'cityHash64(org_id, id)'
/** As long as a block may wait for its second attempt; ClickHouse's own default has been an hour. */
const DEDUPLICATION_SECONDS = 604_800

/** The braces are macros that each server fills in. */
const REPLICA = "'/clickhouse/tables/{database}/{table}/{shard}', '{replica}'"

const CREATE_TABLE = /^create\s+table\s+if\s+not\s+exists\s+(\w+)/i
const ALTER_TABLE = /^alter\s+table\s+(\w+)/i
const ENGINE = /\bengine\s*=\s*(\w*)MergeTree\b(?:\(([^()]*)\))?/i
const COLUMN_CHANGE = /^alter\s+table\s+\w+\s+(?:add|drop|modify|rename)\s+column\b/i

/** @param text of a migration; every statement can be run again without harm */
export function statementsFor(text: string, form: DatabaseForm): string[] {
  return statementsOf(text)
    .map((statement) => statement.replaceAll('{retention_days}', String(form.retention_days)))
    .flatMap((statement) =>
      form.cluster === undefined
        ? [statement]
        : clusterForm(statement, form.database, form.cluster),
    )
}

/** The part of a statement's table that holds its rows. */
export const localName = (table: string, cluster: string | undefined): string =>
  cluster === undefined ? table : `${table}_local`

export const onCluster = (cluster: string | undefined): string =>
  cluster === undefined ? '' : ` on cluster ${nameLiteral(cluster)}`

/** Which migrations were applied is known to all nodes of all shards, so it has one path. */
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
    throw new Error(`There is no form for a cluster of: ${statement.slice(0, 80)}`)
  }
  const forTable = (table: string) =>
    statement.replace(ALTER_TABLE, `alter table ${table}${onCluster(cluster)}`)
  const local = forTable(localName(altered, cluster))
  // Indexes, projections and lifetimes are a matter of the tables that hold rows.
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
    .replace(ENGINE, (_, kind: string, given: string | undefined) => {
      const own = given === undefined || given.trim() === '' ? '' : `, ${given.trim()}`
      return `engine = Replicated${kind}MergeTree(${REPLICA}${own})`
    })
    .replace(
      /\bnon_replicated_deduplication_window\s*=\s*(\d+)/i,
      `replicated_deduplication_window = $1, replicated_deduplication_window_seconds = ${DEDUPLICATION_SECONDS}`,
    )
