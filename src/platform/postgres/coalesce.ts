/**
 * Sends the statements of one turn of the event loop in a single write. Each write wakes a process of
 * the server, which costs both sides more than the bytes do.
 */
import type { Socket } from 'node:net'
import type { Pool, PoolClient } from 'pg'

type Query = (...query: unknown[]) => unknown

export function coalesceWrites(pool: Pool): void {
  pool.on('connect', (client: PoolClient) => {
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    const query = client.query.bind(client) as unknown as Query
    let isCorked = false
    const coalesced: Query = (...args) => {
      if (!isCorked) {
        isCorked = true
        stream.cork()
        // Runs after the promises that are settled by now, and so after the statements they send.
        process.nextTick(() => {
          isCorked = false
          stream.uncork()
        })
      }
      return query(...args)
    }
    client.query = coalesced as unknown as PoolClient['query']
  })
}
