/**
 * Lets callers wait for a connection that is in use while the server accepts no further ones. Otherwise
 * each caller for whom the pool opens a connection would fail, although others end a moment later.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { errorKindOf } from './error-kinds.ts'

export type LimitOptions = {
  /** Time after which a caller gets the error of the server. */
  deadline_ms: number
  onRefusal: (error: unknown) => void
}

/** Time after a refusal in which the pool opens no further connections. */
const PAUSE_MS = 1000
/** Time between two attempts when the pool has no connection to wait for. */
const RETRY_MS = 200

export function waitAtConnectionLimit(pool: Pool, { deadline_ms, onRefusal }: LimitOptions): void {
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>
  const { max } = pool.options
  // The pool also counts connections that it is opening, and that the server may refuse too.
  let open = 0
  pool.on('connect', () => {
    open += 1
  })
  pool.on('remove', () => {
    open -= 1
  })
  let restoring: NodeJS.Timeout | undefined
  const useOwnConnections = () => {
    pool.options.max = Math.max(1, open)
    clearTimeout(restoring)
    restoring = setTimeout(() => {
      pool.options.max = max
    }, PAUSE_MS).unref()
  }
  const connectOrWait = async (): Promise<PoolClient> => {
    const until = performance.now() + deadline_ms
    for (;;) {
      try {
        return await connect()
      } catch (error) {
        if (errorKindOf(error) !== 'too_many_connections' || performance.now() > until) throw error
        onRefusal(error)
        useOwnConnections()
        if (open === 0) await sleep(RETRY_MS)
      }
    }
  }
  pool.connect = connectOrWait as Pool['connect']
}
