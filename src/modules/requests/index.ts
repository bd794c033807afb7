/** The request log: the requests of the last day and the status of their responses. */
export { requestRoutes } from './console.ts'
export { recordRequests } from './hook.ts'
export { createRequestReading } from './reading.ts'
export { createRequestRecorder } from './recorder.ts'
export type * from './schema.ts'
export { sweepRequests } from './store.ts'
