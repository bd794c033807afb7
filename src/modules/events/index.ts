export { EVENT_TYPES, type EventType } from './catalog.ts'
export { emitEvents, eventWriter, expireEvents, insertEvents, type OutboxEvent } from './outbox.ts'
