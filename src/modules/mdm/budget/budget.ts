/**
 * How many requests may be made to the provider: of each class, and of all, counted by all processes
 * together in the database. Google's quota is per project and minute
 * (https://developers.google.com/android/management/usage-limits).
 */
import type { Db } from '../../../platform/postgres/db.ts'
import { type Allowance, countRoom, takeRequest, upsertPause } from './store.ts'

export const REQUEST_CLASSES = ['enterprise', 'policy', 'device', 'command', 'reading'] as const
export type RequestClass = (typeof REQUEST_CLASSES)[number]

/** Requests per minute. */
export type RequestLimits = Record<RequestClass, number> & { total: number }

export type Taken = { granted: true } | { granted: false; retry_after_s: number }

export type Budget = {
  /** Counts one request, or says in how many whole seconds to ask again. */
  take(requestClass: RequestClass): Promise<Taken>
  /**
   * After the provider said that there were too many: for the configured time (a fifth more or less,
   * lest all classes come back at once) or so many seconds, whichever is longer.
   *
   * @returns for how many seconds
   */
  pause(requestClass: RequestClass, seconds: number): Promise<number>
  /** How many of the wanted requests there is room for at the moment; none is counted. */
  room(requestClass: RequestClass, wanted: number): Promise<number>
}

export type BudgetOptions = { db: Db; limits: RequestLimits; backoff_seconds: number }

const MINUTE_SECONDS = 60
/** A quota that is used in ever so small portions is never far exceeded in any minute. */
const PORTIONS = 6
const JITTER = 0.2
/** What a fleet is told by itself may take hours; of the common limit it leaves the rest to the others. */
const PATIENT = new Set<RequestClass>(['policy', 'device', 'command'])
const PATIENT_SHARE = 0.75

export function createBudget({ db, limits, backoff_seconds }: BudgetOptions): Budget {
  const allowances = (requestClass: RequestClass): [own: Allowance, common: Allowance] => [
    allowanceOf(requestClass, limits[requestClass]),
    commonFor(requestClass, allowanceOf('total', limits.total)),
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

/** A sixth of it in ten seconds each; what is too little for that is counted by the minute. */
function allowanceOf(requestClass: string, perMinute: number): Allowance {
  const isDivided = perMinute >= PORTIONS
  return {
    class: requestClass,
    requests: isDivided ? Math.floor(perMinute / PORTIONS) : perMinute,
    window_seconds: isDivided ? MINUTE_SECONDS / PORTIONS : MINUTE_SECONDS,
  }
}

/** Somebody waits for an enrolment token, and listings heal what was lost. */
function commonFor(requestClass: RequestClass, common: Allowance): Allowance {
  if (!PATIENT.has(requestClass)) return common
  return { ...common, requests: Math.max(1, Math.floor(common.requests * PATIENT_SHARE)) }
}
