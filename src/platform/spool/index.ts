/** The spool: batches that wait in PostgreSQL until they are sent to the analytics engine. */
export { createFlusher } from './flusher.ts'
export { createSpoolGauge } from './gauge.ts'
export { createFindMissing } from './missing.ts'
export { decodePayload } from './payload.ts'
export {
  type BatchHead,
  createRowHead,
  type Payload,
  type RowLayout,
  type RowShape,
  readHead,
  rowEnd,
  rowsOf,
} from './rows.ts'
export {
  encodeRows,
  insertSpoolRows,
  readBacklog,
  readOldestWaiting,
  readRecentBatches,
  readWaitingBytes,
  type SpoolRow,
} from './store.ts'
export {
  claimUngrouped,
  releaseUngrouped,
  type UngroupedRow,
  ungroupedTarget,
  writeGrouped,
} from './ungrouped.store.ts'
