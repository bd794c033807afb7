/**
 * Limits the enrollment tokens that an organization creates per hour. The provider's quota for them is
 * small and shared by all organizations, so that one could otherwise use it up.
 */
import { tooManyRequests } from '../../../platform/http/errors.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { HOUR_MS } from '../../../platform/time-units.ts'
import { findTokenTime } from './store.ts'

export type Allowance = {
  /**
   * Counts the tokens that were created, and those that this process is creating.
   *
   * @throws AppError 429 when the limit is reached
   */
  within<T>(orgId: string, now: Date, create: () => Promise<T>): Promise<T>
}

const TOKENS_MAX = 60

/** Used when tokens that are still being created may be over the limit. */
const RETRY_AFTER_S = 10

export function createAllowance(db: Db): Allowance {
  const inProgress = new Map<string, number>()
  const count = (orgId: string, change: 1 | -1): number => {
    const left = (inProgress.get(orgId) ?? 0) + change
    if (left === 0) inProgress.delete(orgId)
    else inProgress.set(orgId, left)
    return left
  }
  return {
    within: async (orgId, now, create) => {
      const others = count(orgId, 1) - 1
      try {
        if (others >= TOKENS_MAX) throw tooManyRequests(RETRY_AFTER_S)
        const since = new Date(now.getTime() - HOUR_MS)
        const oldest = await findTokenTime(db, orgId, { since, place: TOKENS_MAX - others - 1 })
        if (oldest) {
          const seconds = Math.ceil((oldest.getTime() - since.getTime()) / 1000)
          throw tooManyRequests(others > 0 ? RETRY_AFTER_S : Math.max(1, seconds))
        }
        return await create()
      } finally {
        count(orgId, -1)
      }
    },
  }
}
