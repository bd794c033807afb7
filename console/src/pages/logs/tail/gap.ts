/** Finds the logs that were ingested while the connection was lost. */
import type { LogPage, LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'

/** Queries use the timestamps of devices, whose clocks differ from that of the service. */
const CLOCK_SKEW_MS = 300_000
export const GAP_ENTRIES_MAX = 300

/** @param lastReceived `received_at` of the last entry */
export const gapDates = (lastReceived: Date): { start_date: string } => ({
  start_date: new Date(lastReceived.getTime() - CLOCK_SKEW_MS).toISOString(),
})

/** @returns later entries in order of ingestion, and the number of entries that the page may lack */
export function missedEntries(
  { logs, pagination }: LogPage,
  lastReceived: Date,
): { entries: LogRecord[]; skipped: number } {
  const since = lastReceived.toISOString()
  const entries = logs
    .filter(({ received_at }) => received_at >= since)
    .toSorted((a, b) => (a.received_at < b.received_at ? -1 : 1))
  // Older entries can only be missing if all entries of the page are new.
  const isComplete = entries.length < logs.length
  return { entries, skipped: isComplete ? 0 : Math.max(0, pagination.total - logs.length) }
}

const DELAY_MIN_MS = 500
const DELAY_MAX_MS = 30_000

/** Exponential backoff with jitter, so that clients do not all reconnect at the same moment. */
export function reconnectDelayMs(failures: number, random: number): number {
  const delayMs = Math.min(DELAY_MAX_MS, DELAY_MIN_MS * 2 ** Math.max(0, failures - 1))
  return Math.round(delayMs * (0.5 + random / 2))
}
