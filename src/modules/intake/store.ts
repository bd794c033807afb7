/** SQL of the intake: receipts of bodies, and the statement that writes a group of batches. */

import { sql } from 'kysely'
import {
  bytesArray,
  numberArray,
  textArray,
  timeArray,
  uuidArray,
} from '../../platform/postgres/arrays.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { lastStatement } from '../../platform/postgres/dialect.ts'
import { insertsOf, type Row } from '../../platform/postgres/rows.ts'
import { encodeRows, insertSpoolRows } from '../../platform/spool/index.ts'
import { addMonthCosts, advanceMonths, insertUsage, type MonthKey } from '../billing/index.ts'
import type { RefusedElement } from './examine.ts'
import type { Packed } from './pack.ts'
import type { IntakeTables } from './tables.ts'

export type ReceiptRow = IntakeTables['intake_receipts']

/** A body and the month in which it counts. */
export type ReceivedBody = Omit<ReceiptRow, 'errors'> &
  Pick<MonthKey, 'meter' | 'month'> & { errors: readonly RefusedElement[] }

/** A body that is received again within this time is a retry of the first. */
export const RETRY_MINUTES = 15

/**
 * Writes a receipt for each body that was not received within `RETRY_MINUTES`, and adds its entries to
 * its month. Rows are locked in the order of their keys, receipts before months, so that two
 * transactions cannot deadlock.
 *
 * @param bodies without duplicates
 * @returns the index in `bodies` of each new one, and the quantity of its month after all of them
 */
export async function takeBodies(tx: Db, bodies: readonly ReceivedBody[]) {
  const { rows } = await sql<{ place: number; quantity: number }>`
    with given as materialized (
      select * from unnest(
        ${uuidArray(bodies.map(({ org_id }) => org_id))}::uuid[],
        ${textArray(bodies.map(({ mode }) => mode))}::text[],
        ${bytesArray(bodies.map(({ body_hash }) => body_hash))}::bytea[],
        ${numberArray(bodies.map(({ received }) => received))}::float8[],
        ${numberArray(bodies.map(({ processed }) => processed))}::float8[],
        ${textArray(bodies.map(({ message }) => message))}::text[],
        ${textArray(bodies.map(({ errors }) => JSON.stringify(errors)))}::text[],
        ${timeArray(bodies.map(({ received_at }) => received_at))}::timestamptz[],
        ${textArray(bodies.map(({ meter }) => meter))}::text[],
        ${textArray(bodies.map(({ month }) => month))}::text[]
      ) with ordinality as g (org_id, mode, body_hash, received, processed, message, errors,
        received_at, meter, month, place)
    ), fresh as (
      insert into intake_receipts as r
        (org_id, mode, body_hash, received, processed, message, errors, received_at)
      select org_id, mode, body_hash, received, processed, message, nullif(errors, '[]')::json,
        received_at
      from given
      order by org_id, mode, body_hash
      on conflict (org_id, mode, body_hash) do update set received = excluded.received,
        processed = excluded.processed, message = excluded.message, errors = excluded.errors,
        received_at = excluded.received_at
      where date_part('epoch', excluded.received_at - r.received_at) >= ${sql.lit(RETRY_MINUTES * 60)}
      returning org_id, mode, body_hash
    ), taken as (
      select given.* from given join fresh using (org_id, mode, body_hash)
    ), months as (${advanceMonths(sql`
      select org_id, mode, meter, month::date as month, sum(processed) as quantity from taken
      group by org_id, mode, meter, month`)}
    )
    select t.place, m.quantity from taken t join months m on m.org_id = t.org_id
      and m.mode = t.mode and m.meter = t.meter and m.month = t.month::date
    order by t.place`.execute(tx)
  return rows.map(({ place, quantity }) => ({ place: place - 1, quantity }))
}

export type BodyKey = Pick<ReceiptRow, 'org_id' | 'mode' | 'body_hash'>
type StoredAnswer = { place: number } & Pick<
  ReceiptRow,
  'received' | 'processed' | 'message' | 'errors'
>

/** Returns the stored responses; `place` is an index into `bodies`. */
export async function readReceipts(db: Db, bodies: readonly BodyKey[]) {
  if (bodies.length === 0) return []
  const { rows } = await sql<StoredAnswer>`
    select b.place, r.received, r.processed, r.message, r.errors
    from unnest(
      ${uuidArray(bodies.map(({ org_id }) => org_id))}::uuid[],
      ${textArray(bodies.map(({ mode }) => mode))}::text[],
      ${bytesArray(bodies.map(({ body_hash }) => body_hash))}::bytea[]
    ) with ordinality as b (org_id, mode, body_hash, place)
    join intake_receipts r using (org_id, mode, body_hash)`.execute(db)
  return rows.map(({ place, errors, ...receipt }) => ({
    place: place - 1,
    ...receipt,
    errors: errors ?? [],
  }))
}

export type GroupRows = Packed & {
  /** Rows of other tables that belong to the batches. */
  rows: readonly Row[]
}

/** Must be the last statement of its transaction, which holds the months locked by `takeBodies`. */
export async function writeGroup(tx: Db, { spool, usage, costs, rows }: GroupRows): Promise<void> {
  const encoded = await encodeRows(spool)
  await lastStatement(sql`
    with spooled as (${insertSpoolRows(encoded)}), used as (${insertUsage(usage)}),
      ${sql.join([sql`costed as (${addMonthCosts(costs)})`, ...insertsOf(rows)])}
    select 1`).execute(tx)
}

const SWEEP_ROWS_MAX = 5000

/** Deletes expired receipts, a bounded number at a time. @returns the number deleted */
export async function sweepReceipts(db: Db, before: Date): Promise<number> {
  const result = await sql`
    delete from intake_receipts where ctid = any(array(
      select ctid from intake_receipts where received_at < ${before}
      limit ${sql.lit(SWEEP_ROWS_MAX)} for update skip locked))`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}
