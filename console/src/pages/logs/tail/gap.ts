/** What came in while the connection was lost: what to ask for, and what of the answer was missed. */
import type { LogPage, LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'

/** Devices' clocks differ, and the question goes by them: what is missed goes by the service's. */
const CLOCKS_DIFFER_MS = 300_000
export const GAP_ENTRIES_MAX = 300

/** @param lastReceived `received_at` of the last entry that was seen */
export const gapDates = (lastReceived: Date): { start_date: string } => ({
  start_date: new Date(lastReceived.getTime() - CLOCKS_DIFFER_MS).toISOString(),
})

/**
 * @returns entries received since, in the order in which they came, and how many more there may have
 * been than the page holds
 */
export function missedOf(
  { logs, pagination }: LogPage,
  lastReceived: Date,
): { entries: LogRecord[]; skipped: number } {
  const since = lastReceived.toISOString()
  const entries = logs
    .filter(({ received_at }) => received_at >= since)
    .toSorted((a, b) => (a.received_at < b.received_at ? -1 : 1))
  // Only when all of the page was missed there can have been more.
  const isWhole = entries.length < logs.length
  return { entries, skipped: isWhole ? 0 : Math.max(0, pagination.total - logs.length) }
}

const WAIT_MIN_MS = 500
const WAIT_MAX_MS = 30_000

/** Doubled with every failure; not the same for all who lost the connection at once. */
export function waitBefore(failures: number, random: number): number {
  const most = Math.min(WAIT_MAX_MS, WAIT_MIN_MS * 2 ** Math.max(0, failures - 1))
  return Math.round(most * (0.5 + random / 2))
}
