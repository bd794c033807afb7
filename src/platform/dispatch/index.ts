export { createDispatcher, type Dispatcher, type Room, type Sent } from './dispatcher.ts'
export { durationMs, retryDelayMs } from './retry-schedule.ts'
