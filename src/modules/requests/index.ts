/** The request log: what arrived in the last day, and what was answered. */
export { recordRequests } from './hook.ts'
export { createRequestReading, type RequestReading } from './reading.ts'
export { createRequestRecorder, type RequestRecorder } from './recorder.ts'
export type * from './schema.ts'
export type { RequestFilter } from './store.ts'
export { sweepRequests } from './sweep.ts'
