/**
 * Runs a transaction that changes the form of a table that is in use. Requests for the table wait behind it, so it
 * gives up soon when others have the table, and tries again a few times.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database, Db } from '../db.ts'

const ATTEMPTS_MAX = 5
const PAUSE_MS = 500
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'
/** A row has arrived that belongs to the new partition. */
const CHECK_VIOLATION = '23514'

export async function withShortLock<T>(db: Database, work: (tx: Db) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(async (tx) => {
        await sql`set local lock_timeout = '1s'`.execute(tx)
        return await work(tx)
      })
    } catch (error) {
      const { code } = error as { code?: unknown }
      const passes = code === LOCK_NOT_AVAILABLE || code === DEADLOCK || code === CHECK_VIOLATION
      if (!passes || attempt === ATTEMPTS_MAX) throw error
      await pause(PAUSE_MS)
    }
  }
}
