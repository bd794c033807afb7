/** Drops usage that has been folded into hourly sums and debited. The ledger and the sums stay. */
import { sql } from 'kysely'
import { lowestIdAt } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import { expirePortion, type Period } from '../../platform/postgres/partitions/index.ts'

/**
 * @param foldedUntil the time up to which usage is in the hourly sums
 * @returns whether something was deleted
 */
export async function expireUsage(
  db: Database,
  before: Date,
  foldedUntil: Date | undefined,
): Promise<boolean> {
  if (foldedUntil === undefined) return false
  return await expirePortion(db, {
    table: 'usage_events',
    before: foldedUntil < before ? foldedUntil : before,
    stays: async (tx, { from, to }: Period) => {
      const isAfter = from ? sql`id >= ${lowestIdAt(from.getTime())}::uuid` : sql`true`
      const { rows } = await sql<{ is_waiting: boolean }>`
        select exists (select from usage_events
          where transfer_id is null and cost_units > 0
            and ${isAfter} and id < ${lowestIdAt(to.getTime())}::uuid) as is_waiting`.execute(tx)
      return rows[0]?.is_waiting === true
    },
  })
}
