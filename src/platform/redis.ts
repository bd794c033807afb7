/** Opens the optional Redis or Valkey connection. Commands have a short deadline and never queue. */
import { Redis } from 'ioredis'
import type { Log } from './log.ts'

const COMMAND_TIMEOUT_MS = 100
const RECONNECT_DELAY_MAX_MS = 2000

export function openRedis(url: string, log: Log): Redis {
  const redis = new Redis(url, {
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: 1000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, RECONNECT_DELAY_MAX_MS),
  })
  let isDown = false
  redis.on('error', (error: Error) => {
    if (isDown) return
    isDown = true
    const fields = { error: error.message }
    log.warn(fields, 'Redis is unavailable; each node counts rate limits on its own')
  })
  redis.on('ready', () => {
    if (isDown) log.info('Redis is available again')
    isDown = false
  })
  return redis
}
