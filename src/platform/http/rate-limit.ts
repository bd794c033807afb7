/**
 * Rate limits per class of endpoint (OP-19). Requests are counted in the process, which reports them to the
 * other processes of the machine, or in Redis or Valkey for limits that nodes share. When Redis is
 * unavailable, each node counts by itself: an unavailable counter never refuses a request.
 */
import { performance } from 'node:perf_hooks'
import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Siblings } from '../processes/index.ts'
import type { RateLimit } from '../settings.ts'

export type RateLimits<Class extends string> = {
  /**
   * @param points the number of requests that this one counts as
   * @returns seconds to wait when the limit is exceeded, otherwise undefined
   */
  consume(rateClass: Class, key: string, points?: number): Promise<number | undefined>
  /** The most that a request can count as, however long it waits. */
  pointsOf(rateClass: Class): number
}

export type RateLimitHooks = {
  siblings?: Pick<Siblings, 'reportPoints' | 'onPoints'> | undefined
  /** Called with the name of the limit that a request exceeded. */
  onRefusal?: (name: string) => void
}

/** After this number of consecutive faults, Redis is not used for a while. */
const FAULTS_MAX = 3
const PAUSE_MS = 5000

export function createRateLimits<Class extends string>(
  limits: Record<Class, RateLimit>,
  redis: Redis | undefined,
  { siblings, onRefusal }: RateLimitHooks = {},
): RateLimits<Class> {
  const names = Object.keys(limits) as Class[]
  const local = new Map(names.map((name) => [name, new RateLimiterMemory(options(name, limits))]))
  const shared = new Map(redis ? names.map((name) => redisLimiter(name, limits, redis)) : [])
  const breaker = createBreaker()

  const consume = async (name: Class, key: string, points: number): Promise<void> => {
    const limiter = breaker.isOpen() ? undefined : shared.get(name)
    if (limiter) {
      const isCounted = await breaker.watch(limiter.consume(key, points))
      if (isCounted) return
    }
    await local.get(name)?.consume(key, points)
    siblings?.reportPoints(name, key, points)
  }
  siblings?.onPoints((name, key, points) => {
    void local.get(name as Class)?.penalty(key, points)
  })

  return {
    pointsOf: (rateClass) => limits[rateClass].points,
    consume: async (rateClass, key, points = 1) => {
      try {
        await consume(rateClass, key, points)
        return undefined
      } catch (outcome) {
        // Any error other than a refusal is a fault of the counter.
        if (!(outcome instanceof RateLimiterRes)) return undefined
        onRefusal?.(rateClass)
        return Math.max(1, Math.ceil(outcome.msBeforeNext / 1000))
      }
    },
  }
}

/** A circuit breaker: otherwise a hanging Redis would cost every request the command timeout. */
function createBreaker() {
  let faults = 0
  let openUntil = 0
  return {
    isOpen: (): boolean => performance.now() < openUntil,
    /** Returns false after a fault; a refusal is no fault and is rethrown. */
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

const redisLimiter = <Class extends string>(
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
