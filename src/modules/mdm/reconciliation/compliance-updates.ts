/**
 * Derives the compliance of devices again, by the same rules as for a report, when a deadline has passed
 * or the rules of their policy have changed.
 */
import type { Database } from '../../../platform/postgres/db.ts'
import type { DeviceWriter } from '../devices/device-writer.ts'
import { listComplianceDue } from '../devices/store.ts'

const BATCH = 200

/**
 * Any number of processes can run the job at the same time.
 *
 * @returns a job that returns the number of changed devices
 */
export function createComplianceUpdates({ db, writer }: { db: Database; writer: DeviceWriter }) {
  return async (now: Date, signal: AbortSignal): Promise<number> => {
    let sum = 0
    while (!signal.aborted) {
      const due = await listComplianceDue(db, now, BATCH)
      const inputs = due.map(({ org_id, id }) => ({ kind: 'due' as const, org_id, device_id: id }))
      const { changed } = await db.transaction().execute((tx) => writer.apply(tx, now, inputs))
      sum += changed
      // If another process updated the same devices, the rest is left to the next run.
      if (due.length < BATCH || changed === 0) break
    }
    return sum
  }
}
