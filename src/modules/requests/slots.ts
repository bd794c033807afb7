/**
 * Entries are stored in a ring of tables, one per four hours. The next table is truncated before it
 * is written to, when all its entries are older than a day.
 */

const SLOT_MS = 4 * 3_600_000
export const SLOTS = 8

/** Entries can be read for this long. */
export const RETENTION_MS = 24 * 3_600_000

/** @returns 0 to `SLOTS - 1` */
export const slotAt = (time: Date): number => Math.floor(time.getTime() / SLOT_MS) % SLOTS

/** The slot that is written to next, whose entries are all older than a day. */
export const slotToEmpty = (now: Date): number => (slotAt(now) + 1) % SLOTS
