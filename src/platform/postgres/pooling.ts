/**
 * Finds out whether a connection pooler stands between Vigil and PostgreSQL, and gives each transaction
 * another connection of the server. Then, settings of a session are those of other clients too, and
 * prepared statements work only if the pooler prepares them on every connection.
 */
import { randomBytes } from 'node:crypto'
import { type QueryExecutorProvider, sql } from 'kysely'
import { Pool, type PoolClient, type PoolConfig } from 'pg'
import type { Log } from '../log.ts'
import { OperatorError } from '../operator-error.ts'
import { errorKindOf } from './error-kinds.ts'

/** With `session`, a connection is the same one of the server until it ends, as without a pooler. */
export type Pooling = 'session' | 'transaction'

/** A pooler in session mode may have no second connection to give. */
const ANSWER_TIMEOUT_MS = 3000
const ROUNDS = 2
/** The statement does not exist on this connection, or exists already. */
const PREPARED_ELSEWHERE = ['26000', '42P05']

/**
 * Opens two connections. While the second one is in a transaction, the first one moves to another
 * connection of the server if the pooler gave its own to the second.
 * @throws OperatorError when prepared statements are wanted and the pooler does not support them
 * @throws Error of the connection when the server cannot be reached
 */
export async function detectPooling(
  address: PoolConfig,
  prepared_statements: boolean,
): Promise<Pooling> {
  const pool = new Pool({ ...address, max: 2, query_timeout: ANSWER_TIMEOUT_MS })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => void client.on('error', () => undefined))
  const name = prepared_statements ? `vigil_${randomBytes(8).toString('hex')}` : undefined
  const text = 'select pg_backend_pid() as pid'
  const backendOf = async (client: PoolClient): Promise<number | undefined> => {
    const query = name === undefined ? { text } : { name, text }
    return (await client.query<{ pid: number }>(query)).rows[0]?.pid
  }
  const clients: PoolClient[] = []
  let own: number | undefined
  try {
    const first = await pool.connect()
    clients.push(first)
    own = await backendOf(first)
    const second = await pool.connect()
    clients.push(second)
    for (let round = 0; round < ROUNDS; round += 1) {
      await second.query('begin')
      const isShared = (await backendOf(second)) === own || (await backendOf(first)) !== own
      await second.query('rollback')
      if (isShared) return 'transaction'
    }
    return 'session'
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (PREPARED_ELSEWHERE.includes(code)) throw new OperatorError(NOT_PREPARED, { cause: error })
    // The first connection works, and no transaction could take its place.
    const kind = errorKindOf(error)
    const isBusy = kind === 'timeout' || kind === 'pool_timeout' || kind === 'too_many_connections'
    if (isBusy && own !== undefined) return 'session'
    throw error
  } finally {
    for (const client of clients) client.release(true)
    await pool.end()
  }
}

/**
 * Says how to limit the time of statements where Vigil cannot do so itself, unless it is limited.
 * @param limits time limits that Vigil sets otherwise, by the name of the parameter
 */
export async function adviseTimeLimits(
  db: QueryExecutorProvider,
  limits: Readonly<Record<string, string>>,
  log: Log,
): Promise<void> {
  const { rows } = await sql<{ name: string; role: string }>`
    select name, current_user as role from pg_settings
    where name = any(${Object.keys(limits)}) and setting = '0' order by name`.execute(db)
  if (rows.length === 0) return
  const statements = rows.map(
    ({ name, role }) => `alter role "${role}" set ${name} = '${limits[name]}'`,
  )
  log.warn(
    { statements },
    'the connection pooler gives each transaction another connection, so Vigil cannot limit the time of statements; have PostgreSQL limit it',
  )
}

const NOT_PREPARED =
  'The connection pooler at DATABASE_URL does not support prepared statements, because it gives each transaction another connection. Set VIGIL_POSTGRES_PREPARED_STATEMENTS=false, or pool_mode=session or (PgBouncer 1.21 or newer) max_prepared_statements=200 in the pooler.'
