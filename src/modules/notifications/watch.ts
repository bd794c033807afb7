/** Jobs that find what no module reports itself. */
import type { Database } from '../../platform/postgres/db.ts'
import { watchAudit } from './audit-watch.store.ts'
import { writeDigests } from './digest.store.ts'
import { compare, lockWatch, WATCHED, WATCHED_SLOWLY, type Watched } from './watch.store.ts'

export type NotificationWatch = {
  /** Endpoints, credentials, devices, the spool, and the audit log. Runs every minute by default. */
  minutely(now: Date): Promise<void>
  /** Silent devices, credits, and the digest of the day before. */
  quarterly(now: Date): Promise<void>
}

export function createNotificationWatch({
  db,
  directory,
}: {
  db: Database
  directory: Database
}): NotificationWatch {
  const compareAll = async (name: string, watched: readonly Watched[]) =>
    await db.transaction().execute(async (tx) => {
      if (!(await lockWatch(tx, name))) return
      for (const each of watched) await compare(tx, each)
    })
  return {
    minutely: async (now) => {
      await compareAll('notifications.watch', WATCHED)
      await watchAudit(db, directory, now)
    },
    quarterly: async (now) => {
      await compareAll('notifications.slow', WATCHED_SLOWLY)
      await db.transaction().execute(async (tx) => {
        if (await lockWatch(tx, 'notifications.digest')) await writeDigests(tx, now)
      })
    },
  }
}
