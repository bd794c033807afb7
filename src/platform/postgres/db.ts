/**
 * Opens the database. Every function that uses it takes a `Db` as its first argument, so that the
 * caller decides whether it runs in a transaction.
 */
import { Kysely, sql, type Transaction } from 'kysely'
import { escapeIdentifier, Pool, type PoolConfig, types } from 'pg'
import type { Log } from '../log.ts'
import { createRepeatedErrors } from '../repeated-errors.ts'
import { coalesceWrites } from './coalesce.ts'
import { waitAtConnectionLimit } from './connection-limit.ts'
import { PipeliningDialect } from './dialect.ts'
import { closeDyingConnections } from './dying-connections.ts'
import type { PostgresAddress } from './embedded/place.ts'
import { adviseTimeLimits, detectPooling, type Pooling } from './pooling.ts'
import { namePreparedStatements } from './prepared.ts'
import type { Tables } from './tables.ts'
import type { DatabaseWatch } from './watch.ts'

export type Db = Kysely<Tables> | Transaction<Tables>
/** The handle that can open transactions; only the composition root creates one. */
export type Database = Kysely<Tables>

export type DatabaseOptions = {
  /** A connection string, or the address of the embedded server. */
  server: string | PostgresAddress
  pool_size: number
  /** Must be off for poolers that do not support prepared statements across transactions. */
  prepared_statements: boolean
  /** Time after which the connection of an unanswered statement is closed; 0 means never. */
  query_timeout_ms?: number
  /** Without a pooler, `session` is right, which is the default. */
  pooling?: Pooling
  /** Schema of the tables. By default that of the account. */
  schema?: string | undefined
  log: Log
  /** Counts errors and waiting times. */
  watch?: DatabaseWatch
}

const CONNECT_TIMEOUT_MS = 10_000
const STATEMENT_TIMEOUT_MS = 30_000
/** Longer than the limit of the server, so that only a dead server or connection reaches it. */
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000
/** Time limits of the server, which it applies even when this process is gone. */
const TIME_LIMITS = {
  statement_timeout: `${STATEMENT_TIMEOUT_MS / 1000}s`,
  idle_in_transaction_session_timeout: `${STATEMENT_TIMEOUT_MS / 1000}s`,
}
const SET_TIME_LIMITS = Object.entries(TIME_LIMITS)
  .map(([name, limit]) => `set ${name} = '${limit}'`)
  .join('; ')
const KEEP_ALIVE_DELAY_MS = 10_000
/** `pg` returns 64-bit integers as text; all of ours stay below 2^53. */
const INT8_OID = 20

export function openDatabase(options: DatabaseOptions): Database {
  // The types of pg lack `pipeline`.
  const settings: PoolConfig & { pipeline: boolean } = {
    ...address(options.server),
    max: options.pool_size,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // On a pipelining connection, pg closes the connection when a statement times out.
    query_timeout: options.query_timeout_ms ?? QUERY_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    application_name: 'vigil',
    types: { getTypeParser: typeParser },
    pipeline: true,
  }
  const pool = new Pool(settings)
  // A broken connection is replaced on the next use. The pool only listens to idle connections; one
  // that breaks while it is checked out would end the process without a listener.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    client.on('error', (error) => {
      // A server that is stopped with the pool may be faster than the goodbye of a connection.
      if (!pool.ending) options.log.warn({ error: error.message }, 'database connection lost')
    })
  })
  const errors = createRepeatedErrors(options.log)
  waitAtConnectionLimit(pool, {
    deadline_ms: CONNECT_TIMEOUT_MS,
    onRefusal: (error) => {
      options.watch?.countError(error)
      errors.log(error, {}, 'PostgreSQL refuses further connections; using those that are open')
    },
  })
  closeDyingConnections(pool, options.log)
  coalesceWrites(pool)
  if (options.pooling !== 'transaction') limitStatements(pool, options.schema)
  if (options.prepared_statements) namePreparedStatements(pool)
  options.watch?.attach(pool)
  return new Kysely<Tables>({ dialect: new PipeliningDialect({ pool }, options.watch) })
}

/**
 * Sets the time limits of the server together with the first statement of a connection. Poolers refuse
 * them as startup parameters.
 */
function limitStatements(pool: Pool, schema: string | undefined): void {
  const path = schema === undefined ? '' : `; set search_path = ${escapeIdentifier(schema)}`
  pool.on('connect', (client) => {
    // If it fails, so does the statement behind it.
    client.query(SET_TIME_LIMITS + path).catch(() => undefined)
  })
}

/**
 * Finds out how the server or a pooler in front of it assigns connections.
 * @throws OperatorError when prepared statements are wanted and the pooler does not support them
 * @throws Error of the connection when the server cannot be reached
 */
export const findPooling = async ({
  server,
  prepared_statements,
}: Pick<DatabaseOptions, 'server' | 'prepared_statements'>): Promise<Pooling> =>
  await detectPooling(
    { ...address(server), connectionTimeoutMillis: CONNECT_TIMEOUT_MS },
    prepared_statements,
  )

/** Warns if nothing limits the time of statements behind a pooler. */
export const adviseLimits = async (db: Db, log: Log): Promise<void> =>
  await adviseTimeLimits(db, TIME_LIMITS, log)

/** Data, constraint and serialization errors, which the statement caused and not the server. */
const STATEMENT_FAULT = /^(21|22|23|40|44)[0-9A-Z]{3}$/

export function isStatementFault(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && STATEMENT_FAULT.test(code)
}

/** Makes a round trip to the server; throws if it does not answer. */
export async function pingDatabase(db: Db): Promise<void> {
  await sql`select 1`.execute(db)
}

const typeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === INT8_OID ? Number : (types.getTypeParser(oid, format) as unknown)

function address(server: string | PostgresAddress): PoolConfig {
  return typeof server === 'string' ? { connectionString: server } : server
}
