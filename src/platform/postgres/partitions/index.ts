/** Tables that are divided by the time in their ids: partitions ahead, and those that expire. */
export { createPartitionsAhead, widthFor } from './ahead.ts'
export { listTablesWithoutPartition } from './catalog.store.ts'
export { expirePortion } from './expiry.ts'
