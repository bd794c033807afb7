/** The calendar months that usage is counted by (OP-21): in UTC. */

/** @returns the first day of the month, `YYYY-MM-DD` */
export const monthOf = (time: Date): string => `${time.toISOString().slice(0, 7)}-01`
