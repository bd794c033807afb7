export { EVENT_TYPES, type EventType } from './catalog.ts'
export { emitEvents, type OutboxEvent, sweepEvents } from './outbox.ts'
