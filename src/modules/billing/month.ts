/** Calendar months of usage, in UTC (OP-21). */

/** @returns the first day of the month, `YYYY-MM-DD` */
export const monthOf = (time: Date): string => `${time.toISOString().slice(0, 7)}-01`
