/**
 * Copies rows between two analytics engines, for example from a single server to a cluster. Nothing writes to
 * the tables of the source any more, so a copy that was interrupted reads the same blocks again, and the target ignores
 * those that it has by their token.
 */
import { createHash } from 'node:crypto'
import { OperatorError } from '../operator-error.ts'
import { type Place, readBlocks } from './dump.ts'

const INSERT_DEADLINE_MS = 300_000

/** @returns the number of rows of the source */
export async function copyTable(from: Place, to: Place, table: string): Promise<number> {
  let rows = 0
  for await (const block of readBlocks(from, table)) {
    const token = `copy ${createHash('sha256').update(block.lines).digest('hex')}`
    const signal = AbortSignal.timeout(INSERT_DEADLINE_MS)
    await to.clickhouse.insert(table, [block.lines], token, signal)
    rows += block.rows
  }
  await requireRows(from, to, table)
  return rows
}

/** The target may have more rows of the same time, which waited in the spool. */
async function requireRows(from: Place, to: Place, table: string): Promise<void> {
  type Found = { rows: number; newest: string }
  const [source] = await from.clickhouse.query<Found>(
    `select count() as rows, toString(max(received_at)) as newest from ${table}`,
  )
  if (!source || source.rows === 0) return
  const [target] = await to.clickhouse.query<Pick<Found, 'rows'>>(
    `select count() as rows from ${table} where received_at <= parseDateTime64BestEffort({newest:String}, 3, 'UTC')`,
    { newest: source.newest },
  )
  if ((target?.rows ?? 0) >= source.rows) return
  throw new OperatorError(
    `${table} has ${target?.rows ?? 0} of ${source.rows} rows after the copy. Expired rows are not stored; otherwise run the copy again.`,
  )
}
