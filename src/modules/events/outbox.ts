/**
 * The outbox: an event is a row written in the transaction that caused it, so it exists exactly
 * when its cause does. A trigger inserts its webhook deliveries with it (docs/decisions/0007). The
 * body is frozen here, byte for byte as it will be signed and sent (OP-24).
 */

import { type RawBuilder, sql } from 'kysely'
import type { Mode } from '../../platform/owner.ts'
import { textArray, timeArray, uuidArray } from '../../platform/postgres/arrays.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import { expirePortion } from '../../platform/postgres/partitions/index.ts'
import type { Writer } from '../../platform/postgres/rows.ts'
import type { EventType } from './catalog.ts'

export type OutboxEvent = {
  id: string
  org_id: string
  mode: Mode
  type: EventType
  /** Documented record or records that the event describes (OP-23). */
  data: unknown
  occurred_at: Date
}

/** Inserts any number of events with one statement. */
export async function emitEvents(db: Db, events: readonly OutboxEvent[]): Promise<void> {
  if (events.length > 0) await insertEvents(events).execute(db)
}

/** SQL of {@link emitEvents}, for callers that combine it with other writes in one statement. */
export function insertEvents(events: readonly OutboxEvent[]): RawBuilder<unknown> {
  const column = <T>(read: (event: OutboxEvent) => T): T[] => events.map(read)
  return sql`
    insert into events (id, org_id, mode, type, body, occurred_at)
    select * from unnest(
      ${uuidArray(column(({ id }) => id))}::uuid[],
      ${uuidArray(column(({ org_id }) => org_id))}::uuid[],
      ${textArray(column(({ mode }) => mode))}::text[],
      ${textArray(column(({ type }) => type))}::text[],
      ${textArray(column(bodyOf))}::text[],
      ${timeArray(column(({ occurred_at }) => occurred_at))}::timestamptz[]
    )`
}

/** Lets a step of the state lane emit events together with its other rows. */
export const eventWriter: Writer<OutboxEvent> = { name: 'outbox', write: insertEvents }

/** Drops a partition of events. @returns whether something was deleted */
export const expireEvents = async (db: Database, before: Date): Promise<boolean> =>
  await expirePortion(db, { table: 'events', before, deletes_first: true })

function bodyOf({ id, type, occurred_at, data }: OutboxEvent): string {
  return JSON.stringify({ id, type, timestamp: occurred_at.toISOString(), data })
}
