/** One rule for when a device counts as active, for its record and for all counts. */
import { MINUTE_MS } from '../../../platform/time-units.ts'

/** A device that was last seen at this time or later is active. */
export const activeSince = (now: Date, activeMinutes: number): Date =>
  new Date(now.getTime() - activeMinutes * MINUTE_MS)
