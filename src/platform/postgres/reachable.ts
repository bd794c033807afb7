/** Waits until the PostgreSQL server accepts connections, so that servers can be started in any order. */
import type { Log } from '../log.ts'
import { reasonOf } from '../operator-error.ts'
import { waitFor } from '../wait.ts'
import { errorKindOf } from './error-kinds.ts'

export type WaitOptions = {
  wait_seconds: number
  /** Named in the log. */
  server: string
  log: Log
  signal?: AbortSignal | undefined
}

const DELAY_MIN_MS = 100
const DELAY_MAX_MS = 2000
/** The code of poolers for settings that they refuse, which belongs to the class of connection errors. */
const PROTOCOL_VIOLATION = '08P01'

/**
 * Repeats `connect` while the server is unreachable, starts, or has no connection to spare.
 * @throws the last error when the time is up, and immediately one that waiting does not resolve, such
 *   as a wrong password
 */
export async function untilReachable<T>(
  connect: () => Promise<T>,
  { wait_seconds, server, log, signal = new AbortController().signal }: WaitOptions,
): Promise<T> {
  const until = performance.now() + wait_seconds * 1000
  let reported: string | undefined
  for (let delay = DELAY_MIN_MS; ; delay = Math.min(2 * delay, DELAY_MAX_MS)) {
    try {
      const reached = await connect()
      if (reported !== undefined) log.info({ server }, 'PostgreSQL accepts connections')
      return reached
    } catch (error) {
      const left_ms = until - performance.now()
      if (left_ms <= 0 || signal.aborted || !isTemporary(error)) throw error
      const reason = reasonOf(error)
      if (reason !== reported) {
        log.warn({ server, error: reason, wait_seconds }, 'waiting for PostgreSQL')
        reported = reason
      }
      await waitFor(Math.min(delay, left_ms), signal)
    }
  }
}

/** Whether a server that refuses a connection may accept it later. */
export function isTemporary(error: unknown): boolean {
  const kind = errorKindOf(error)
  if (kind === 'pool_timeout' || kind === 'too_many_connections') return true
  return kind === 'connection' && (error as { code?: unknown }).code !== PROTOCOL_VIOLATION
}

/** @returns host, port and database of a connection URL, without the account and the password */
export function serverName(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? hostname
  const number = searchParams.get('port') ?? port
  return `${host}:${number === '' ? '5432' : number}${pathname}`
}
