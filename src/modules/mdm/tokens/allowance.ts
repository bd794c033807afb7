/**
 * How many enrolment tokens an organisation makes in an hour: all organisations together have so few
 * requests of this kind that one could leave none to the others.
 */
import { tooManyRequests } from '../../../platform/http/errors.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { findTokenTime } from './store.ts'

export type Allowance = {
  /**
   * Counts those that were made, and those that are being made in this process.
   *
   * @throws AppError 429 when there are as many as there may be
   */
  within<T>(orgId: string, now: Date, make: () => Promise<T>): Promise<T>
}

const TOKENS_MAX = 60
const WINDOW_MS = 3_600_000
/** Where only others that are not made yet are in the way. */
const RETRY_AFTER_S = 10

export function createAllowance(db: Db): Allowance {
  const underWay = new Map<string, number>()
  const count = (orgId: string, change: 1 | -1): number => {
    const left = (underWay.get(orgId) ?? 0) + change
    if (left === 0) underWay.delete(orgId)
    else underWay.set(orgId, left)
    return left
  }
  return {
    within: async (orgId, now, make) => {
      const others = count(orgId, 1) - 1
      try {
        if (others >= TOKENS_MAX) throw tooManyRequests(RETRY_AFTER_S)
        const since = new Date(now.getTime() - WINDOW_MS)
        const oldest = await findTokenTime(db, orgId, { since, place: TOKENS_MAX - others - 1 })
        if (oldest) {
          const seconds = Math.ceil((oldest.getTime() - since.getTime()) / 1000)
          throw tooManyRequests(others > 0 ? RETRY_AFTER_S : Math.max(1, seconds))
        }
        return await make()
      } finally {
        count(orgId, -1)
      }
    },
  }
}
