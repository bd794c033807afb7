export { EVENT_TYPES, type EventType } from './catalog.ts'
export { emitEvents, eventWriter, insertEvents, type OutboxEvent, sweepEvents } from './outbox.ts'
