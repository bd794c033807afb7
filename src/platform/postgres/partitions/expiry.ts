/** Drops partitions of which all rows are expired. */
import { type RawBuilder, sql } from 'kysely'
import { lowestIdAt } from '../../ids.ts'
import type { Database, Db } from '../db.ts'
import { listPartitions, type Partition } from './catalog.store.ts'
import { withShortLock } from './short-lock.ts'

type Expiry = {
  table: string
  before: Date
  /** Rows that must not be deleted yet. They keep their partition. */
  unless?: RawBuilder<boolean>
  /**
   * Whether expired rows of the first partition are deleted one by one, until it is dropped: it holds rows of all
   * earlier times.
   */
  deletes_first?: boolean
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
  const partitions = await listPartitions(db, expiry.table)
  for (const partition of partitions) {
    if (partition.to !== null && partition.to <= expiry.before) {
      if (await dropPartition(db, partition, expiry)) return true
    } else if (expiry.deletes_first && partition.from === null && !partition.is_default) {
      if ((await deleteRows(db, partition.name, expiry)) > 0) return true
    }
  }
  const rest = partitions.find(({ is_default }) => is_default)
  const oldest = partitions[0]?.from
  // Rows that are older than the oldest partition arrived after their own was dropped.
  if (!rest || !oldest || oldest > expiry.before) return false
  return (await deleteRows(db, rest.name, { ...expiry, before: oldest })) > 0
}

/** @returns false if the partition has rows that must stay */
async function dropPartition(
  db: Database,
  { name, to }: Partition,
  { unless, onDrop }: Expiry,
): Promise<boolean> {
  const stays = async (tx: Db) => {
    if (!unless) return false
    const { rows } = await sql<{ stays: boolean }>`
      select exists (select from ${sql.table(name)} where ${unless}) as stays`.execute(tx)
    return rows[0]?.stays === true
  }
  if (await stays(db)) return false
  return await withShortLock(db, async (tx) => {
    await sql`lock table ${sql.table(name)} in access exclusive mode`.execute(tx)
    if (await stays(tx)) return false
    await sql`drop table ${sql.table(name)}`.execute(tx)
    if (to) await onDrop?.(tx, to)
    return true
  })
}

async function deleteRows(db: Db, name: string, { before, unless }: Expiry): Promise<number> {
  const partition = sql.table(name)
  const { numAffectedRows } = await sql`
    delete from ${partition} where ctid = any(array(
      select ctid from ${partition} where id < ${lowestIdAt(before.getTime())}::uuid
        and ${unless ? sql`not (${unless})` : sql`true`} limit ${sql.lit(PORTION_ROWS)}))
      and id < ${lowestIdAt(before.getTime())}::uuid`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
