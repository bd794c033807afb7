/** The optional Redis or Valkey connection: every command has a short deadline and none queues. */
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
  let isAway = false
  redis.on('error', (error: Error) => {
    if (isAway) return
    isAway = true
    log.warn({ error: error.message }, 'Redis is away; each node counts rate limits for itself')
  })
  redis.on('ready', () => {
    if (isAway) log.info('Redis is back')
    isAway = false
  })
  return redis
}
