/** Drops partitions of which all rows are expired. */
import { sql } from 'kysely'
import { lowestIdAt } from '../../ids.ts'
import type { Database, Db } from '../db.ts'
import { listPartitions, type Partition } from './catalog.store.ts'
import { withShortLock } from './short-lock.ts'

/** Null is without a bound. */
export type Period = { from: Date | null; to: Date }

type Expiry = {
  table: string
  before: Date
  /** Whether a period has rows that must not be deleted yet. */
  stays?: (db: Db, period: Period) => Promise<boolean>
  /**
   * Whether expired rows are deleted one by one from a table that is not divided yet, and from the first partition until
   * it is dropped: it holds rows of all earlier times.
   */
  deletes_first?: boolean
  /** A column with the time that finds these rows by its index; by default, the id does. */
  time_column?: string
  /** Runs in the transaction that drops a partition, with the time before which rows are gone. */
  onDrop?: (tx: Db, until: Date) => Promise<void>
}

const PORTION_ROWS = 10_000

/**
 * Drops one partition, or deletes a portion of expired rows that are in none of their time. A process that is killed
 * leaves a partition either complete or gone.
 *
 * @returns whether something was deleted
 */
export async function expirePortion(db: Database, expiry: Expiry): Promise<boolean> {
  const { table, before, deletes_first, stays } = expiry
  const partitions = await listPartitions(db, table)
  if (partitions.length === 0) {
    return deletes_first === true && (await deleteRows(db, { name: table, key: 'id' }, expiry)) > 0
  }
  for (const partition of partitions) {
    if (partition.to !== null && partition.to <= before) {
      if (await dropPartition(db, partition, expiry)) return true
    } else if (deletes_first && partition.from === null && !partition.is_default) {
      if ((await deleteRows(db, partition, expiry)) > 0) return true
    }
  }
  const rest = partitions.find(({ is_default }) => is_default)
  const oldest = partitions[0]?.from
  // Rows that are older than the oldest partition arrived after their own was dropped.
  if (!rest || !oldest || oldest > before) return false
  if (await stays?.(db, { from: null, to: oldest })) return false
  return (await deleteRows(db, rest, { before: oldest })) > 0
}

/** @returns false if the partition has rows that must stay */
async function dropPartition(
  db: Database,
  { name, from, to }: Partition,
  { stays, onDrop }: Expiry,
): Promise<boolean> {
  const period = to && { from, to }
  if (period && (await stays?.(db, period))) return false
  return await withShortLock(db, async (tx) => {
    await sql`lock table ${sql.table(name)} in access exclusive mode`.execute(tx)
    if (period && (await stays?.(tx, period))) return false
    await sql`drop table ${sql.table(name)}`.execute(tx)
    if (to) await onDrop?.(tx, to)
    return true
  })
}

async function deleteRows(
  db: Db,
  { name, key }: Pick<Partition, 'name' | 'key'>,
  { before, time_column }: Pick<Expiry, 'before' | 'time_column'>,
): Promise<number> {
  const partition = sql.table(name)
  const isOld = sql`${sql.ref(key)} < ${lowestIdAt(before.getTime())}::uuid
    and ${time_column ? sql`${sql.ref(time_column)} < ${before}` : sql`true`}`
  const { numAffectedRows } = await sql`
    delete from ${partition} where ctid = any(array(
      select ctid from ${partition} where ${isOld} limit ${sql.lit(PORTION_ROWS)}))
      and ${isOld}`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
