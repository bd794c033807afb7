/** Lists the backups of a store, and deletes those that are too old. */
import { DAY_MS } from '../time-units.ts'
import {
  dataPrefix,
  listComplete,
  listIds,
  readSummary,
  type Summary,
  summaryName,
} from './format.ts'
import type { BackupStore } from './store.ts'

/** These stay however old they are, so that a store is never emptied because no backup succeeds. */
export const NEWEST_STAY = 3
/** A backup that another process takes is incomplete, too. */
const INCOMPLETE_DAYS = 2

export async function listBackups(
  store: BackupStore,
): Promise<{ complete: Summary[]; incomplete: string[] }> {
  const { complete, started } = await listIds(store)
  const summaries: Summary[] = []
  for (const id of complete) summaries.push(await readSummary(store, id))
  return { complete: summaries, incomplete: started.filter((id) => !complete.includes(id)) }
}

/** @returns the summary of the newest complete backup */
export async function newestBackup(store: BackupStore): Promise<Summary | undefined> {
  const id = (await listComplete(store)).at(-1)
  return id === undefined ? undefined : await readSummary(store, id)
}

/** @returns ids of the backups that were deleted */
export async function pruneBackups(
  store: BackupStore,
  { retention_days, now }: { retention_days: number; now: Date },
): Promise<string[]> {
  const { complete, started } = await listIds(store)
  const isOlder = (id: string, days: number) => now.getTime() - timeOf(id).getTime() > days * DAY_MS
  const expired =
    retention_days === 0
      ? []
      : complete.slice(0, -NEWEST_STAY).filter((id) => isOlder(id, retention_days))
  const abandoned = started.filter((id) => !complete.includes(id) && isOlder(id, INCOMPLETE_DAYS))
  for (const id of [...expired, ...abandoned]) {
    // Without its summary, an interrupted deletion is an incomplete backup, which is deleted later.
    await store.remove(summaryName(id))
    for (const { name } of await store.list(dataPrefix(id))) await store.remove(name)
  }
  return [...expired, ...abandoned]
}

/** Ids begin with `20260131T235959Z`. */
function timeOf(id: string): Date {
  const [, year, month, day, hours, minutes, seconds] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(id) ?? []
  return new Date(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`)
}
