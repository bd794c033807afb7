/** What waits in PostgreSQL for the analytics engine, and how it gets there. */
export { createFlusher } from './flusher.ts'
export { createSpoolGauge } from './gauge.ts'
export { createFindMissing } from './missing.ts'
export {
  findOldestWaiting,
  insertSpoolRows,
  readBacklog,
  readRecentBatches,
  readWaitingBytes,
  type SpoolRow,
} from './store.ts'
