export { EVENT_TYPES, type EventType } from './catalog.ts'
export { emitEvents, insertEvents, type OutboxEvent, sweepEvents } from './outbox.ts'
