/**
 * Rate limits per class of endpoint (OP-19). Counted in the process, or in Redis/Valkey for limits
 * that nodes share; when Redis is away, each node counts for itself: a missing counter never
 * refuses a request.
 */
import { performance } from 'node:perf_hooks'
import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimit } from '../settings.ts'

export type RateLimits<Class extends string> = {
  /**
   * @param points how many requests this one stands for
   * @returns seconds to wait when the limit is exceeded, otherwise undefined
   */
  consume(rateClass: Class, key: string, points?: number): Promise<number | undefined>
}

/** So many faults of Redis in a row, and it is left alone for a while. */
const FAULTS_MAX = 3
const PAUSE_MS = 5000

export function createRateLimits<Class extends string>(
  limits: Record<Class, RateLimit>,
  redis: Redis | undefined,
): RateLimits<Class> {
  const names = Object.keys(limits) as Class[]
  const local = new Map(names.map((name) => [name, new RateLimiterMemory(options(name, limits))]))
  const shared = new Map(redis ? names.map((name) => atRedis(name, limits, redis)) : [])
  const breaker = createBreaker()

  const consume = async (name: Class, key: string, points: number): Promise<void> => {
    const limiter = breaker.isOpen() ? undefined : shared.get(name)
    if (limiter) {
      const isCounted = await breaker.watch(limiter.consume(key, points))
      if (isCounted) return
    }
    await local.get(name)?.consume(key, points)
  }

  return {
    consume: async (rateClass, key, points = 1) => {
      try {
        await consume(rateClass, key, points)
        return undefined
      } catch (outcome) {
        // Anything but a refusal is a fault of the counter.
        if (!(outcome instanceof RateLimiterRes)) return undefined
        return Math.max(1, Math.ceil(outcome.msBeforeNext / 1000))
      }
    },
  }
}

/** A Redis that hangs would cost every request the time in which a command is given up. */
function createBreaker() {
  let faults = 0
  let openUntil = 0
  return {
    isOpen: (): boolean => performance.now() < openUntil,
    /** False when there was a fault; a refusal is none, and is thrown on. */
    watch: async (work: Promise<unknown>): Promise<boolean> => {
      try {
        await work
        faults = 0
        return true
      } catch (outcome) {
        if (outcome instanceof RateLimiterRes) throw outcome
        faults += 1
        if (faults >= FAULTS_MAX) openUntil = performance.now() + PAUSE_MS
        return false
      }
    },
  }
}

const options = <Class extends string>(name: Class, limits: Record<Class, RateLimit>) => ({
  keyPrefix: `vigil:${name}`,
  points: limits[name].points,
  duration: limits[name].window_seconds,
})

const atRedis = <Class extends string>(
  name: Class,
  limits: Record<Class, RateLimit>,
  redis: Redis,
): [Class, RateLimiterRedis] => [
  name,
  new RateLimiterRedis({
    ...options(name, limits),
    storeClient: redis,
    // A key that is over its limit is refused without asking Redis again.
    inMemoryBlockOnConsumed: limits[name].points + 1,
  }),
]
