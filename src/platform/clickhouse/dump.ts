/**
 * Reads the tables of the analytics engine in blocks of limited size, and writes such blocks. Rows that
 * were there at the beginning are all read; those that arrive in the meantime may be.
 */
import { OperatorError } from '../operator-error.ts'
import type { ClickHouse } from './client.ts'
import { localName, onCluster } from './cluster.ts'
import { EngineRefusal } from './errors.ts'
import { nameLiteral, textLiteral } from './sql-text.ts'

export type Place = { clickhouse: ClickHouse; database: string; cluster: string | undefined }

/** Rows of one partition, as lines of JSON. */
export type Block = { lines: Buffer; rows: number }

const FIRST_ROWS = 1000
const ROWS_MAX = 100_000
/** An embedded engine holds a response in memory. */
const BLOCK_BYTES = 8_388_608
/** Each id takes about 40 bytes of a statement, which the engine limits. */
const DELETED_MAX = 5000

/** It exists while a restore has begun and not ended. */
const MARK = 'vigil_restore'

type Column = { name: string; type: string }

/** @param condition SQL that the rows fulfill */
export async function* readBlocks(
  place: Place,
  table: string,
  condition = 'true',
): AsyncGenerator<Block> {
  const { clickhouse } = place
  const columns = await columnsOf(place, table)
  const key = await sortingKeyOf(place, table, columns)
  const list = columns.map(({ name }) => name).join(', ')
  const partitions = await clickhouse.query<{ id: string }>(
    `select distinct _partition_id as id from ${table} where ${condition} order by id`,
  )
  for (const { id } of partitions) {
    let limit = FIRST_ROWS
    let last: Record<string, unknown> | undefined
    for (;;) {
      const after = last ? ` and (${afterCondition(key)})` : ''
      const sql = `select ${list} from ${table} where ${condition} and _partition_id = {partition:String}${after}
        order by ${key.map(({ name }) => name).join(', ')} limit ${limit}`
      const lines = await readOrUndefined(clickhouse, sql, { partition: id, ...last })
      if (lines === undefined && limit > 1) {
        limit = Math.ceil(limit / 10)
        continue
      }
      if (lines === undefined) throw new OperatorError(`A row of ${table} is too large to be read.`)
      const rows = countLines(lines)
      if (rows === 0) break
      yield { lines, rows }
      if (rows < limit) break
      last = keyOf(lines, key)
      limit = Math.ceil(Math.min(ROWS_MAX, limit * 10, (rows * BLOCK_BYTES) / lines.length))
    }
  }
}

/** @returns undefined if the engine refuses a response of that size */
async function readOrUndefined(
  clickhouse: ClickHouse,
  sql: string,
  params: Record<string, unknown>,
): Promise<Buffer | undefined> {
  try {
    return await clickhouse.read(sql, params)
  } catch (error) {
    if (error instanceof EngineRefusal && error.code === TOO_MANY_BYTES) return undefined
    throw error
  }
}

const TOO_MANY_BYTES = 396

async function columnsOf({ clickhouse, database }: Place, table: string): Promise<Column[]> {
  return await clickhouse.query<Column>(
    `select name, type from system.columns where database = {database:String}
       and table = {table:String} and default_kind not in ('ALIAS', 'MATERIALIZED')
     order by position`,
    { database, table },
  )
}

async function sortingKeyOf(
  { clickhouse, database, cluster }: Place,
  table: string,
  columns: readonly Column[],
): Promise<Column[]> {
  const [found] = await clickhouse.query<{ key: string }>(
    `select sorting_key as key from system.tables
     where database = {database:String} and name = {local:String}`,
    { database, local: localName(table, cluster) },
  )
  const names = (found?.key ?? '').split(',').map((name) => name.trim())
  return names.map((name) => {
    const column = columns.find((each) => each.name === name)
    if (!column) throw new Error(`${table} has no sorting key of columns`)
    return column
  })
}

/** Written out, because ranges of the primary key are not derived from a comparison of tuples. */
const afterCondition = (key: readonly Column[]): string =>
  key
    .map((column, index) => {
      const equal = key.slice(0, index).map(({ name, type }) => `${name} = {${name}:${type}}`)
      return `(${[...equal, `${column.name} > {${column.name}:${column.type}}`].join(' and ')})`
    })
    .join(' or ')

const NEWLINE = 10

function countLines(lines: Buffer): number {
  let count = 0
  for (let at = lines.indexOf(NEWLINE); at >= 0; at = lines.indexOf(NEWLINE, at + 1)) count += 1
  return count
}

function keyOf(lines: Buffer, key: readonly Column[]): Record<string, unknown> {
  const start = lines.lastIndexOf(NEWLINE, lines.length - 2) + 1
  const row = JSON.parse(lines.toString('utf8', start)) as Record<string, unknown>
  return Object.fromEntries(key.map(({ name }) => [name, row[name]]))
}

/**
 * Empties the tables for a restore, and marks that it has begun, so that it can begin again.
 *
 * @throws OperatorError if a table has rows that do not come from an interrupted restore
 */
export async function beginLoad(
  { clickhouse, database, cluster }: Place,
  tables: readonly string[],
  overwrites: boolean,
): Promise<void> {
  const on = onCluster(cluster)
  const [marked] = await clickhouse.query(
    'select 1 from system.tables where database = {database:String} and name = {mark:String}',
    { database, mark: MARK },
  )
  for (const table of tables) {
    const [row] = await clickhouse.query(`select 1 from ${table} limit 1`)
    if (row === undefined) continue
    if (!overwrites && marked === undefined) {
      throw new OperatorError(
        `The table ${table} of the analytics engine has data. Restore into an empty one, or replace everything in it with --overwrite.`,
      )
    }
    await clickhouse.command(`truncate table ${nameLiteral(localName(table, cluster))}${on}`)
  }
  await clickhouse.command(
    `create table if not exists ${MARK}${on} (begun_at DateTime) engine = MergeTree order by begun_at`,
  )
}

export async function endLoad({ clickhouse, cluster }: Place): Promise<void> {
  await clickhouse.command(`drop table if exists ${MARK}${onCluster(cluster)}`)
}

/** Deletes rows that will be inserted again. @returns the number of rows that were there */
export async function deleteRows(
  place: Place,
  table: string,
  ids: readonly string[],
): Promise<number> {
  let deleted = 0
  for (let start = 0; start < ids.length; start += DELETED_MAX) {
    const list = ids
      .slice(start, start + DELETED_MAX)
      .map(textLiteral)
      .join(', ')
    deleted += await deleteWhere(place, table, `id in (${list})`)
  }
  return deleted
}

/**
 * Yields the rows of an organization in blocks.
 *
 * @param orgId a UUID
 */
export const readRowsOf = (place: Place, table: string, orgId: string): AsyncGenerator<Block> =>
  readBlocks(place, table, `org_id = ${textLiteral(orgId)}`)

/** @returns the number of rows that were there */
export async function deleteRowsOf(place: Place, table: string, orgId: string): Promise<number> {
  return await deleteWhere(place, table, `org_id = ${textLiteral(orgId)}`)
}

/**
 * Deletes the rows of an organization that match one of the regular expressions in any of their texts.
 *
 * @param isDry whether the rows are counted only
 * @returns the number of rows that were there
 */
export async function deleteMatchingRows(
  place: Place,
  table: string,
  { orgId, expressions, isDry }: { orgId: string; expressions: readonly string[]; isDry: boolean },
): Promise<number> {
  const columns = await columnsOf(place, table)
  const texts = columns.flatMap(({ name, type }) => {
    if (type === 'Array(String)') return [`arrayStringConcat(${name}, '\\n')`]
    return type.includes('String') ? [name] : []
  })
  const matching = expressions.flatMap((expression) =>
    texts.map((text) => `match(${text}, ${textLiteral(expression)})`),
  )
  if (matching.length === 0) return 0
  const condition = `org_id = ${textLiteral(orgId)} and (${matching.join(' or ')})`
  return isDry
    ? await countWhere(place, table, condition)
    : await deleteWhere(place, table, condition)
}

async function countWhere(
  { clickhouse }: Pick<Place, 'clickhouse'>,
  table: string,
  condition: string,
): Promise<number> {
  const [found] = await clickhouse.query<{ rows: number }>(
    `select count() as rows from ${table} where ${condition}`,
  )
  return found?.rows ?? 0
}

async function deleteWhere(
  { clickhouse, cluster }: Place,
  table: string,
  condition: string,
): Promise<number> {
  const rows = await countWhere({ clickhouse }, table, condition)
  if (rows === 0) return 0
  const local = nameLiteral(localName(table, cluster))
  await clickhouse.command(
    `alter table ${local}${onCluster(cluster)} delete where ${condition} settings mutations_sync = 2`,
  )
  return rows
}
