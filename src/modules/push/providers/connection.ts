/** Connection settings shared by the senders of both providers. */

import type { Log } from '../../../platform/log.ts'
import type { Http2PoolOptions } from '../../../platform/net/http2/pool.ts'

export type ConnectionOptions = {
  /** The only certificate authority to trust (PEM); default: those of Node.js. */
  readonly ca?: string | undefined
  readonly sessions_max?: number
  readonly log: Log
}

/** A connection that takes longer than ten seconds to open counts as a failure of the provider. */
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
