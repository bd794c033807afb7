/** Settings of PostgreSQL, ClickHouse and Redis, and of the secrets at rest. */
import { readNamedUrls } from '../platform/postgres/named-urls.ts'
import {
  flag,
  integer,
  integerOrAuto,
  optionalFormed,
  optionalText,
  optionalUrl,
  type Setting,
} from '../platform/settings.ts'

const MASTER_KEY_BYTES = 32

export const ENGINE_SETTINGS = {
  data_dir: optionalText({
    help: 'Folder of the embedded engines and the master key. Default: ./data, or /var/lib/vigil if root starts Vigil in a folder that only root can enter',
  }),
  database_url: optionalUrl(['postgres', 'postgresql'], {
    help: 'Connection URL of your own PostgreSQL, version 15 or newer. Without it, an embedded server is used',
    secret: true,
  }),
  cells: optionalFormed(
    {
      accepts: (given) => readNamedUrls(given) !== undefined,
      what: 'NAME=URL pairs, separated by spaces, with postgres:// URLs',
    },
    {
      help: 'Cells with their connection URLs, as `NAME=URL` separated by spaces. `?schema=` at the end of a URL selects a schema. They take precedence over the URLs that `vigil cell add` stored ([Cells](cells.md))',
      secret: true,
    },
  ),
  postgres_pool_size: integer(
    10,
    { min: 2, max: 200 },
    { help: 'PostgreSQL connections per process' },
  ),
  postgres_wait_seconds: integer(
    60,
    { min: 0, max: 3600 },
    {
      help: 'Time that `vigil serve` and `vigil migrate` wait at the start for the server of `DATABASE_URL` to accept connections. A wrong password or a missing database is reported immediately',
    },
  ),
  postgres_prepared_statements: flag(true, {
    help: 'Whether prepared statements are used. Set false behind a connection pooler that gives each transaction another connection and does not support them; the start detects this',
  }),
  clickhouse_url: optionalUrl(['http', 'https'], {
    help: 'URL of your own ClickHouse, version 26.4 or newer, for logs and RUM events, with the database as its path. Without it, an embedded engine is used',
    secret: true,
  }),
  clickhouse_cluster: optionalFormed(
    { accepts: isIdentifier, what: 'a name of letters, digits and _' },
    {
      help: 'Cluster name at CLICKHOUSE_URL. Tables are created as Replicated with a Distributed table in front',
    },
  ),
  clickhouse_insert_quorum: integerOrAuto(
    { min: 0, max: 100 },
    {
      help: 'Replicas of a shard of VIGIL_CLICKHOUSE_CLUSTER that must have a block of logs before it leaves the spool. `auto` is a majority, which of two replicas is both; 0 and 1 are one replica',
    },
  ),
  clickhouse_memory_mb: integer(
    2048,
    { min: 512, max: 1_048_576 },
    { help: 'Memory limit of the embedded analytics engine for queries, inserts and merges' },
  ),
  clickhouse_threads: integer(
    2,
    { min: 1, max: 256 },
    { help: 'Threads per query in the embedded analytics engine' },
  ),
  clickhouse_query_timeout_ms: integer(
    15_000,
    { min: 500, max: 600_000 },
    { help: 'Timeout of queries over logs and RUM events' },
  ),
  redis_url: optionalUrl(['redis', 'rediss'], {
    help: 'URL of Redis or Valkey for rate limits that are shared by several nodes. Without it, each node counts on its own',
    secret: true,
  }),
  master_key: optionalFormed(
    {
      accepts: areMasterKeys,
      what: '32 bytes in base64, as `openssl rand -base64 32` prints them',
    },
    {
      help: 'Master key that encrypts secrets at rest: 32 bytes in base64. During a rotation, several keys separated by commas, the newest first. Without it, a key is created in the data folder',
      secret: true,
    },
  ),
} as const satisfies Record<string, Setting<unknown>>

/** Checked here rather than at the first use, so that the error names the setting. */
function areMasterKeys(given: string): boolean {
  const keys = given.split(',').map((key) => key.trim())
  const written = keys.filter((key) => key !== '')
  return written.length > 0 && written.every(isMasterKey)
}

function isMasterKey(given: string): boolean {
  const key = Buffer.from(given, 'base64')
  return key.length === MASTER_KEY_BYTES && key.toString('base64') === given
}

function isIdentifier(given: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(given)
}
