/**
 * Derives the compliance of devices again for which a time has passed, or the rules of their policy have
 * changed, by the same rules as a report.
 */
import type { Database } from '../../../platform/postgres/db.ts'
import type { DeviceWriter } from '../devices/apply.ts'
import { listComplianceDue } from '../devices/store.ts'

const BATCH = 200

/** Any number of processes may do so at once. @returns number of devices */
export function createComplianceFlips({
  db,
  writer,
}: {
  db: Database
  writer: DeviceWriter
}): (now: Date, signal: AbortSignal) => Promise<number> {
  return async (now, signal) => {
    let sum = 0
    while (!signal.aborted) {
      const due = await listComplianceDue(db, now, BATCH)
      const inputs = due.map(({ org_id, id }) => ({ kind: 'due' as const, org_id, device_id: id }))
      const { changed } = await db.transaction().execute((tx) => writer.apply(tx, now, inputs))
      sum += changed
      // Another process may have been at the same ones; those that it left are for the next run.
      if (due.length < BATCH || changed === 0) break
    }
    return sum
  }
}
