/** When a device counts as active: one rule for its record and for all counts. */

const MINUTE_MS = 60_000

/** Who was heard from at this moment or later is active. */
export const activeSince = (now: Date, activeMinutes: number): Date =>
  new Date(now.getTime() - activeMinutes * MINUTE_MS)
