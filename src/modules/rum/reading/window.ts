/** Which events a reading is about, in time. */

/**
 * Without dates: what was received of late, whatever the clocks of the senders say. With dates: what
 * happened then, by these clocks; both ends belong to it.
 */
export type Window =
  | { kind: 'received'; from: Date }
  | { kind: 'happened'; from_ms: number | undefined; until_ms: number | undefined }

const DAY_MS = 86_400_000

/** @param windowDays whole days in UTC before the current one */
export function windowOf(
  { start, end }: { start: Date | undefined; end: Date | undefined },
  now: Date,
  windowDays: number,
): Window {
  if (!start && !end) {
    const today = Math.floor(now.getTime() / DAY_MS)
    return { kind: 'received', from: new Date((today - windowDays) * DAY_MS) }
  }
  const until_ms = end?.getTime()
  const from_ms =
    start?.getTime() ?? (until_ms === undefined ? undefined : until_ms - windowDays * DAY_MS)
  return { kind: 'happened', from_ms, until_ms }
}
