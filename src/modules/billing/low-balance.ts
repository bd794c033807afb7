/** The balance below which an organization wants to be notified. */
import type { Clock } from '../../platform/clock.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { insertAudit } from '../audit/index.ts'
import { deleteLevel, readLevel, writeLevel } from './low-balance.store.ts'
import { toCredits, toUnits } from './units.ts'

export type LowBalance = {
  /** @returns null if the level is what was used in the last seven days */
  level(orgId: string): Promise<number | null>
  /**
   * @param credits 0 for no notification, null for what was used in the last seven days
   * @param by user id, or null for the operator
   */
  setLevel(orgId: string, credits: number | null, by: string | null): Promise<void>
}

export type LowBalanceDependencies = {
  db: Database
  clock: Clock
  newId: NewId
  audit: typeof insertAudit
}

export function createLowBalance({ db, clock, newId, audit }: LowBalanceDependencies): LowBalance {
  const level = async (orgId: string, handle: Parameters<typeof readLevel>[0] = db) => {
    const units = await readLevel(handle, orgId)
    return units === undefined ? null : toCredits(units)
  }
  return {
    level: async (orgId) => await level(orgId),
    setLevel: async (orgId, credits, by) => {
      await db.transaction().execute(async (tx) => {
        const from = await level(orgId, tx)
        if (from === credits) return
        if (credits === null) await deleteLevel(tx, orgId)
        else await writeLevel(tx, orgId, toUnits(credits))
        const at = clock.now()
        const details = { from, to: credits }
        const action = 'credits.low_balance_changed'
        await audit(tx, orgId, { id: newId(at), at, actor_user_id: by, action, details })
      })
    },
  }
}
