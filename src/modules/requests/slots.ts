/**
 * Where entries lie: in a ring of tables, each for four hours. The one whose turn comes next is
 * emptied as a whole before that, when all it holds is older than a day.
 */

const SLOT_MS = 4 * 3_600_000
export const SLOTS = 8

/** How long an entry can be read. */
export const KEPT_MS = 24 * 3_600_000

/** @returns 0 to `SLOTS - 1` */
export const slotAt = (time: Date): number => Math.floor(time.getTime() / SLOT_MS) % SLOTS

/** The one that is written to next, and holds what ended a day ago or earlier. */
export const slotToEmpty = (now: Date): number => (slotAt(now) + 1) % SLOTS
