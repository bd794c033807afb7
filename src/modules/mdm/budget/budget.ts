/**
 * Limits the rate of requests to the provider, per class and in total. The counts are in the database,
 * because Google's quota applies to a project and not to a process
 * (https://developers.google.com/android/management/usage-limits).
 */
import type { Db } from '../../../platform/postgres/db.ts'
import { MINUTE_SECONDS } from '../../../platform/time-units.ts'
import { type Allowance, countRoom, takeRequest, upsertPause } from './store.ts'

export const REQUEST_CLASSES = ['enterprise', 'policy', 'device', 'command', 'reading'] as const
export type RequestClass = (typeof REQUEST_CLASSES)[number]

/** Requests per minute. */
export type RequestLimits = Record<RequestClass, number> & { total: number }

export type Grant = { granted: true } | { granted: false; retry_after_s: number }

export type Budget = {
  /** Counts one request, or returns the whole seconds to wait before the next try. */
  take(requestClass: RequestClass): Promise<Grant>
  /**
   * Stops a class after the provider answered that there were too many requests: for the configured
   * time, varied by a fifth so that the classes do not resume together, or for `seconds` if longer.
   *
   * @returns the length of the pause in seconds
   */
  pause(requestClass: RequestClass, seconds: number): Promise<number>
  /** Returns how many of the wanted requests fit at the moment, without counting any. */
  room(requestClass: RequestClass, wanted: number): Promise<number>
}

export type BudgetOptions = { db: Db; limits: RequestLimits; backoff_seconds: number }

/** Windows of ten seconds keep any sixty seconds close to the limit, whenever they begin. */
const WINDOWS_PER_MINUTE = 6
const JITTER = 0.2
/**
 * Classes that the dispatcher uses. Updating a fleet may take hours, so these leave a quarter of the
 * total to enrollment tokens, which a person waits for, and to listings, which recover lost reports.
 */
const BACKGROUND_CLASSES = new Set<RequestClass>(['policy', 'device', 'command'])
const BACKGROUND_SHARE = 0.75

export function createBudget({ db, limits, backoff_seconds }: BudgetOptions): Budget {
  const allowances = (requestClass: RequestClass): [own: Allowance, total: Allowance] => [
    allowanceOf(requestClass, limits[requestClass]),
    totalFor(requestClass, allowanceOf('total', limits.total)),
  ]
  return {
    take: async (requestClass) => {
      const seconds = await takeRequest(db, ...allowances(requestClass))
      if (seconds === undefined) return { granted: true }
      return { granted: false, retry_after_s: Math.max(1, Math.ceil(seconds)) }
    },
    pause: async (requestClass, seconds) => {
      const spread = 1 + JITTER * (2 * Math.random() - 1)
      const paused = Math.ceil(Math.max(backoff_seconds * spread, seconds))
      await upsertPause(db, requestClass, paused)
      return paused
    },
    room: async (requestClass, wanted) =>
      Math.min(wanted, await countRoom(db, ...allowances(requestClass))),
  }
}

/** Limits too small to be divided are counted per minute. */
function allowanceOf(requestClass: string, perMinute: number): Allowance {
  const isDivided = perMinute >= WINDOWS_PER_MINUTE
  return {
    class: requestClass,
    requests: isDivided ? Math.floor(perMinute / WINDOWS_PER_MINUTE) : perMinute,
    window_seconds: isDivided ? MINUTE_SECONDS / WINDOWS_PER_MINUTE : MINUTE_SECONDS,
  }
}

function totalFor(requestClass: RequestClass, total: Allowance): Allowance {
  if (!BACKGROUND_CLASSES.has(requestClass)) return total
  return { ...total, requests: Math.max(1, Math.floor(total.requests * BACKGROUND_SHARE)) }
}
