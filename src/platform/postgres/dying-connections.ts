/**
 * Takes connections that the server is closing out of the pool. The server reports the reason as the
 * error of a statement and closes the socket a moment later; until then, the pool would give the
 * connection to the next caller, and fail a statement that has nothing to do with the first.
 */
import type { Connection, Pool, PoolClient } from 'pg'
import type { Log } from '../log.ts'

/**
 * Errors after which the server closes the connection (PostgreSQL, appendix A): ended by an operator,
 * by a crash, with its database, or after a time without use, and transactions that took too long.
 */
const LAST_ERROR = /^(?:57P0[1245]|25P0[34])$/

type ErrorMessage = { code?: string; message: string }

export function closeDyingConnections(pool: Pool, log: Log): void {
  pool.on('connect', (client: PoolClient) => {
    const { connection } = client as unknown as { connection: Connection }
    connection.on('errorMessage', ({ code = '', message }: ErrorMessage) => {
      if (!LAST_ERROR.test(code)) return
      // A server that is stopped with the pool may be faster than the goodbye of a connection.
      if (!pool.ending) log.warn({ error: message }, 'database connection lost')
      // A client that is ending does not return to the pool.
      void client.end()
    })
  })
}
