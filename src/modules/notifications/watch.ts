/** Jobs that find what no module reports itself. */
import type { Database, Db } from '../../platform/postgres/db.ts'
import { watchAudit } from './audit-watch.store.ts'
import { writeDigests } from './digest.store.ts'
import {
  compare,
  lockWatch,
  noteAnalytics,
  WATCHED,
  WATCHED_SLOWLY,
  type Watched,
} from './watch.store.ts'

export type NotificationWatch = {
  /** Endpoints, credentials, devices, the spool, the analytics engine, and the audit log. Runs every minute by default. */
  minutely(now: Date): Promise<void>
  /** Silent devices, credits, and the digest of the day before. */
  quarterly(now: Date): Promise<void>
}

export function createNotificationWatch({
  db,
  directory,
  isAnalyticsAvailable,
}: {
  db: Database
  directory: Database
  /** Whether logs and events can be read. Ends within a deadline, and never rejects. */
  isAnalyticsAvailable: () => Promise<boolean>
}): NotificationWatch {
  const compareAll = async (
    name: string,
    watched: readonly Watched[],
    prepare?: (tx: Db) => Promise<void>,
  ) =>
    await db.transaction().execute(async (tx) => {
      if (!(await lockWatch(tx, name))) return
      await prepare?.(tx)
      for (const each of watched) await compare(tx, each)
    })
  return {
    minutely: async (now) => {
      const isAvailable = await isAnalyticsAvailable()
      await compareAll('notifications.watch', WATCHED, (tx) => noteAnalytics(tx, isAvailable))
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
