/**
 * Rate limits per class of endpoint (OP-19). Counted in the process, or in Redis/Valkey for limits
 * that nodes share; when Redis is away, each node counts for itself: a missing counter never
 * refuses a request.
 */
import type { Redis } from 'ioredis'
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import type { RateLimit } from '../settings.ts'

export type RateLimits<Class extends string> = {
  /**
   * @param points how many requests this one stands for
   * @returns seconds to wait when the limit is exceeded, otherwise undefined
   */
  consume(rateClass: Class, key: string, points?: number): Promise<number | undefined>
}

export function createRateLimits<Class extends string>(
  limits: Record<Class, RateLimit>,
  redis: Redis | undefined,
): RateLimits<Class> {
  const names = Object.keys(limits) as Class[]
  const limiters = new Map(names.map((name) => [name, createLimiter(name, limits[name], redis)]))
  return {
    consume: async (rateClass, key, points = 1) => {
      try {
        await limiters.get(rateClass)?.consume(key, points)
        return undefined
      } catch (outcome) {
        // Anything but a refusal is a fault of the counter.
        if (!(outcome instanceof RateLimiterRes)) return undefined
        return Math.max(1, Math.ceil(outcome.msBeforeNext / 1000))
      }
    },
  }
}

function createLimiter(
  name: string,
  limit: RateLimit,
  redis: Redis | undefined,
): RateLimiterAbstract {
  const options = {
    keyPrefix: `vigil:${name}`,
    points: limit.points,
    duration: limit.window_seconds,
  }
  const local = new RateLimiterMemory(options)
  if (!redis) return local
  return new RateLimiterRedis({
    ...options,
    storeClient: redis,
    insuranceLimiter: local,
    // A key that is over its limit is refused without asking Redis again.
    inMemoryBlockOnConsumed: limit.points + 1,
  })
}
