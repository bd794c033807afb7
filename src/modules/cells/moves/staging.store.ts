/**
 * Copies the rows of an organization into tables of the target that nothing else reads, and repeats this for rows
 * that were written since. Both sides are compared by the number and the hashes of their rows.
 */
import { PassThrough } from 'node:stream'
import type { Client } from 'pg'
import { copyIn, copyOut, writeRowsTo } from '../../../platform/postgres/copy.ts'
import { quoted, setForCopy } from '../../../platform/postgres/dump.ts'
import { listOf, type MovedTable } from './shape.store.ts'

export type Sides = { source: Client; target: Client; org_id: string }

export const STAGING = 'organization_copy_of_'
const staged = (table: string): string => quoted(`${STAGING}${table}`)

const BUFFER_BYTES = 1_048_576

export async function dropStaging(target: Client, tables: readonly string[]): Promise<void> {
  for (const table of tables) await target.query(`drop table if exists ${staged(table)}`)
}

/** The table exists only if all rows that it had at one moment were copied. */
export async function stageTable(
  { source, target, org_id }: Sides,
  { name, columns, key }: MovedTable,
): Promise<number> {
  return await inTransaction(target, 'begin', async () => {
    await target.query(`create table ${staged(name)} (like ${quoted(name)})`)
    await target.query(`alter table ${staged(name)} add primary key (${listOf(key)})`)
    return await inTransaction(source, 'begin', async () => {
      const select = `select ${listOf(columns)} from ${quoted(name)} where org_id = '${org_id}'`
      return await copyRows({ source, target }, select, `${staged(name)} (${listOf(columns)})`)
    })
  })
}

export type Round = {
  /** Keys that were written since the last round. */
  changes: number
  /** Rows that were compared. */
  verified_rows: number
}

const SNAPSHOT = 'begin transaction isolation level repeatable read, read only'
/** Few rows are found by their keys, however many the tables have. */
const BY_KEYS = 'set local enable_hashjoin = off; set local enable_mergejoin = off'

/**
 * Brings the copy to the state of the source at one moment, and compares both: all rows, or those that were written
 * since the last round. The transactions of both sides end before the keys are deleted, so a round that
 * was interrupted is repeated.
 *
 * @throws Error naming the table in which they differ
 */
export async function catchUp(
  sides: Sides,
  tables: readonly MovedTable[],
  comparesAll: boolean,
): Promise<Round> {
  const { source, target, org_id } = sides
  let verified_rows = 0
  const ids = await inTransaction(source, SNAPSHOT, async () => {
    const found = await source.query<{ name: string; ids: string[] }>(
      `select table_name as name, array_agg(id) as ids from organization_changes
       where org_id = $1 group by 1`,
      [org_id],
    )
    const changed = new Map(found.rows.map(({ name, ids: of }) => [name, of]))
    await inTransaction(target, 'begin', async () => {
      await target.query(
        'create temporary table copied_keys (table_name text, key jsonb) on commit drop',
      )
      const keys = `select distinct table_name, key from organization_changes where org_id = '${org_id}'`
      await copyRows(sides, keys, 'copied_keys (table_name, key)')
      for (const client of [source, target]) await client.query(BY_KEYS)
      for (const table of tables.filter(({ name }) => changed.has(name))) {
        await copyChanged(sides, table)
        if (!comparesAll) verified_rows += await compare(sides, table, true)
      }
      if (!comparesAll) return
      for (const table of tables) verified_rows += await compare(sides, table, false)
    })
    return [...changed.values()].flat()
  })
  await source.query('delete from organization_changes where org_id = $1 and id = any($2)', [
    org_id,
    ids,
  ])
  return { changes: ids.length, verified_rows }
}

/** Replaces the rows with keys that are known to both sides. */
async function copyChanged({ source, target, org_id }: Sides, table: MovedTable): Promise<void> {
  const { name, columns } = table
  const copied = staged(name)
  await target.query(`delete from ${copied} t using ${keysAt('target', org_id, table)}
    where ${isKey(table)}`)
  const select = `select ${listOf(columns, 't')} from ${quoted(name)} t, ${keysAt('source', org_id, table)}
    where ${isKey(table)}`
  await copyRows({ source, target }, select, `${copied} (${listOf(columns)})`)
}

const isKey = ({ key }: MovedTable): string =>
  key.map((column) => `t.${quoted(column)} = k.${quoted(column)}`).join(' and ')

function keysAt(side: 'source' | 'target', orgId: string, { name, key }: MovedTable): string {
  const from = side === 'target' ? 'copied_keys' : 'organization_changes'
  const own = side === 'target' ? '' : `c.org_id = '${orgId}' and `
  return `(select distinct ${listOf(key, 'k')} from ${from} c,
    jsonb_populate_record(null::${quoted(name)}, c.key) k where ${own}c.table_name = '${name}') k`
}

/** @returns the number of rows */
async function compare(
  { source, target, org_id }: Sides,
  table: MovedTable,
  isOfKeys: boolean,
): Promise<number> {
  const read = async (client: Client, side: 'source' | 'target') => {
    const from = side === 'source' ? quoted(table.name) : staged(table.name)
    const keys = isOfKeys ? `, ${keysAt(side, org_id, table)}` : ''
    const condition = isOfKeys ? isKey(table) : `t.org_id = '${org_id}'`
    const { rows } = await client.query<{ rows: string; hashes: string }>(
      `select count(*) as rows,
         coalesce(sum(hashtextextended(row(${listOf(table.columns, 't')})::text, 0)::numeric), 0) as hashes
       from ${from} t${keys} where ${condition}`,
    )
    return rows[0]
  }
  const [here, there] = await Promise.all([read(source, 'source'), read(target, 'target')])
  if (!here || here.rows !== there?.rows || here.hashes !== there.hashes) {
    throw new Error(`The copy of ${table.name} differs from its source`)
  }
  return Number(here.rows)
}

async function copyRows(
  { source, target }: Pick<Sides, 'source' | 'target'>,
  select: string,
  into: string,
): Promise<number> {
  const rows = new PassThrough({ highWaterMark: BUFFER_BYTES })
  // Both sides see the error of the other one when they next use the stream.
  rows.on('error', () => undefined)
  const stop = (error: unknown) => {
    rows.destroy(error as Error)
    throw error
  }
  const reading = copyOut(source, `copy (${select}) to stdout`, writeRowsTo(rows)).then(
    () => rows.end(),
    stop,
  )
  const [, copied] = await Promise.all([
    reading,
    copyIn(target, `copy ${into} from stdin`, rows).catch(stop),
  ])
  return copied
}

/** With the format of values that both sides share. */
export async function inTransaction<T>(
  client: Client,
  begin: string,
  work: () => Promise<T>,
): Promise<T> {
  await client.query(begin)
  try {
    await setForCopy(client)
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}
