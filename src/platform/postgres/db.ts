/**
 * The database handle. Every function that touches the database takes a `Db` as its first
 * argument, so that the caller decides whether it runs alone or inside a transaction.
 */
import { Kysely, sql, type Transaction } from 'kysely'
import { Pool, type PoolConfig, types } from 'pg'
import type { Log } from '../log.ts'
import { coalesceWrites } from './coalesce.ts'
import { PipeliningDialect } from './dialect.ts'
import type { PostgresAddress } from './embedded/server.ts'
import { namePreparedStatements } from './prepared.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables> | Transaction<Tables>
/** The handle that can open transactions; only the composition root makes one. */
export type Database = Kysely<Tables>

export type DatabaseOptions = {
  /** A connection string, or the address of the embedded server. */
  server: string | PostgresAddress
  pool_size: number
  /** Off for poolers that do not carry prepared statements across transactions. */
  prepared_statements: boolean
  /** How long a statement may go unanswered until its connection is given up; 0 for ever. */
  query_timeout_ms?: number
  log: Log
}

const CONNECT_TIMEOUT_MS = 10_000
const STATEMENT_TIMEOUT_MS = 30_000
/** Later than the server's own limit, so that only a server or a line that is dead gets here. */
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000
const KEEP_ALIVE_DELAY_MS = 10_000
/** `pg` gives 64-bit integers as text; all of ours stay below 2^53. */
const INT8_OID = 20

export function openDatabase(options: DatabaseOptions): Database {
  // `pipeline` is known to pg, not yet to its types.
  const settings: PoolConfig & { pipeline: boolean } = {
    ...address(options.server),
    max: options.pool_size,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // On a connection that pipelines, pg ends the connection with the statement.
    query_timeout: options.query_timeout_ms ?? QUERY_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'vigil',
    types: { getTypeParser: typeParser },
    pipeline: true,
  }
  const pool = new Pool(settings)
  // A connection that breaks is replaced on the next use. The pool listens only to idle ones; one
  // that breaks while it is lent would end the process without a listener of its own.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    client.on('error', (error) =>
      options.log.warn({ error: error.message }, 'database connection lost'),
    )
  })
  coalesceWrites(pool)
  if (options.prepared_statements) namePreparedStatements(pool)
  return new Kysely<Tables>({ dialect: new PipeliningDialect({ pool }) })
}

/** Data, constraint and serialisation errors: what was asked is at fault, not the server or the line. */
const STATEMENT_FAULT = /^(21|22|23|40|44)[0-9A-Z]{3}$/

export function isStatementFault(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && STATEMENT_FAULT.test(code)
}

/** Round trip to the server; throws when it does not answer. */
export async function pingDatabase(db: Db): Promise<void> {
  await sql`select 1`.execute(db)
}

const typeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === INT8_OID ? Number : (types.getTypeParser(oid, format) as unknown)

function address(server: string | PostgresAddress): PoolConfig {
  return typeof server === 'string' ? { connectionString: server } : server
}
