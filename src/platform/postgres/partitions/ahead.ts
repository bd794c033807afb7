/** Creates partitions before they are needed. Until then, the default partition takes their rows. */
import { sql } from 'kysely'
import { lowestIdAt } from '../../ids.ts'
import { DAY_MS, WEEK_MS } from '../../time-units.ts'
import type { Database } from '../db.ts'
import { endOf, groupByTable, listPartitions, type Partition } from './catalog.store.ts'
import { withShortLock } from './short-lock.ts'

export type Width = 'week' | 'month'

/** Tables are created a week or a month ahead, and one more. */
const AHEAD_WIDTHS = 2
const WEEKS_BELOW_DAYS = 100
/** 1970 began on a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS

/** Expired rows stay for the width of a partition, so short retentions have narrow ones. */
export const widthFor = (retentionDays: number): Width =>
  retentionDays > 0 && retentionDays < WEEKS_BELOW_DAYS ? 'week' : 'month'

/** @param widths of tables; a month for others */
export async function createPartitionsAhead(
  db: Database,
  now: Date,
  widths: Readonly<Record<string, Width>> = {},
): Promise<void> {
  const tables = groupByTable(await listPartitions(db))
  for (const [table, partitions] of tables) {
    await extend(db, partitions, { table, now, width: widths[table] ?? 'month' })
  }
}

async function extend(
  db: Database,
  partitions: readonly Partition[],
  { table, now, width }: { table: string; now: Date; width: Width },
): Promise<void> {
  let horizon = now
  for (let step = 0; step < AHEAD_WIDTHS; step += 1) horizon = nextBoundary(horizon, width)
  let end = endOf(partitions)
  const key = partitions[0]?.key ?? 'id'
  if (end >= horizon) return
  // Rows of a time in which no partition existed stay in the default partition until they expire.
  if (end < now) end = nextDay(now)
  while (end < horizon) {
    const from = end
    end = nextBoundary(from, width)
    await createPartition(db, table, { key, from, to: end })
  }
  // Statistics of the table itself are collected by no background process.
  await sql`analyze ${sql.table(table)}`.execute(db)
}

async function createPartition(
  db: Database,
  table: string,
  { key, from, to }: { key: string; from: Date; to: Date },
): Promise<void> {
  const name = sql.table(`${table}_from_${from.toISOString().slice(0, 10).replaceAll('-', '')}`)
  const rest = sql.table(`${table}_default`)
  const column = sql.ref(key)
  const [low, high] = [lowestIdAt(from.getTime()), lowestIdAt(to.getTime())]
  await withShortLock(db, async (tx) => {
    // One process at a time; another one may have created it.
    await sql`lock table ${rest} in share update exclusive mode`.execute(tx)
    if (
      (await listPartitions(tx, table)).some((other) => other.from?.getTime() === from.getTime())
    ) {
      return
    }
    const { rows } = await sql<{ options: string | null }>`
      select array_to_string(reloptions, ', ') as options from pg_class
      where oid = to_regclass(${`${table}_default`})`.execute(tx)
    const options = rows[0]?.options
    await sql`create table ${name} (like ${sql.table(table)} including defaults including constraints
      including storage) ${options ? sql.raw(`with (${options})`) : sql``}`.execute(tx)
    // Rows of a node that is ahead of the time.
    await sql`with moved as (delete from ${rest} where ${column} >= ${low}::uuid and ${column} < ${high}::uuid
      returning *) insert into ${name} select * from moved`.execute(tx)
    await sql`alter table ${sql.table(table)} attach partition ${name}
      for values from (${sql.lit(low)}) to (${sql.lit(high)})`.execute(tx)
  })
}

/** Boundaries are at midnight (UTC) of Mondays, or of the first of each month. */
export function nextBoundary(time: Date, width: Width): Date {
  if (width === 'month') return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1, 1))
  const weeks = Math.floor((time.getTime() - FIRST_MONDAY_MS) / WEEK_MS) + 1
  return new Date(FIRST_MONDAY_MS + weeks * WEEK_MS)
}

const nextDay = (time: Date): Date => new Date((Math.floor(time.getTime() / DAY_MS) + 1) * DAY_MS)
