/** Tables that are divided by the time in their ids: partitions ahead, and those that expire. */
export { createPartitionsAhead, type Width, widthFor } from './ahead.ts'
export { listTablesWithoutPartition } from './catalog.store.ts'
export { type Expiry, expirePortion } from './expiry.ts'
