/** How the senders connect to their providers. */

import type { Log } from '../../../platform/log.ts'
import type { Http2PoolOptions } from '../../../platform/net/http2/pool.ts'

export type ConnectionOptions = {
  /** The only authority that is trusted, in PEM; the usual ones when left out. */
  readonly ca?: string | undefined
  readonly sessions_max?: number
  readonly log: Log
}

/** What both providers are given; what is longer than ten seconds is a fault of theirs. */
export const poolOptions = (
  origin: string,
  { ca, sessions_max, log }: ConnectionOptions,
): Http2PoolOptions => ({
  origin,
  ca,
  streams_max: 1000,
  ...(sessions_max !== undefined && { sessions_max }),
  connect_timeout_ms: 10_000,
  ping_interval_ms: 60_000,
  ping_timeout_ms: 15_000,
  log,
})
