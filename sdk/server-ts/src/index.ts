/** Client of the Vigil API for servers. README.md has the first steps. */
export {
  type BatchOptions,
  type CheckOutcome,
  checkAll,
  type LogEntry,
  type OrderOutcome,
  sendLogs,
  submitOrders,
} from './batches.ts'
export { createVigil, type Vigil } from './client.ts'
export { VigilError } from './errors.ts'
export { API_VERSION, type Operations } from './generated/operations.ts'
export type * from './generated/types.ts'
export type { LogFields, LogLevel } from './log-entry.ts'
export {
  createLogShipper,
  type LogShipper,
  type LogShipperOptions,
  type LogShipperStats,
} from './log-shipper.ts'
export type { AccessToken, CallOptions, PushOptions, VigilOptions } from './options.ts'
export { type PagedOperation, type RecordOf, recordsOf } from './pages.ts'
export { verifyWebhook, type WebhookEvent, type WebhookRequest } from './webhooks.ts'
