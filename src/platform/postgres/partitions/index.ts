/** Tables that are divided by the time in their ids: partitions ahead, those that expire, and tables to divide. */
export { createPartitionsAhead, widthFor } from './ahead.ts'
export { listPartitions, listTablesWithoutPartition } from './catalog.store.ts'
export { type DividedTable, type Division, divideTables, readDivisions } from './division.ts'
export { expirePortion, type Period } from './expiry.ts'
