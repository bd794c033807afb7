/**
 * Finds rows of a block that the embedded engine lost although it treats the block as a repetition:
 * it records the id of a block shortly before its rows, so a crash in between leaves only the id.
 */
import type { ClickHouse } from '../clickhouse/client.ts'
import { dayOf, keyOf, type Payload, rowsOf } from './rows.ts'

/** @returns the rows of the block that are missing in the engine */
export type FindMissing = (table: string, payloads: readonly Payload[]) => Promise<Buffer[]>

const TIMEOUT_MS = 5000

/** Only for an engine that reads its own writes; a replica that answers may lag behind. */
export function createFindMissing(clickhouse: Pick<ClickHouse, 'query'>): FindMissing {
  const isStored = async (table: string, { row, isBinary }: Found): Promise<boolean> => {
    const { org_id, mode, timestamp_ms, id } = keyOf(row, isBinary)
    const rows = await clickhouse.query<{ found: number }>(
      `select count() as found from ${table} where org_id = {org_id:UUID} and mode = {mode:String}
        and timestamp_ms = {timestamp_ms:Int64} and id = {id:UUID}`,
      { org_id, mode, timestamp_ms, id },
      { timeout_ms: TIMEOUT_MS },
    )
    return rows.some(({ found }) => found > 0)
  }
  return async (table, payloads) => {
    // The rows of a day, which is a partition, arrive together or not at all, so one row is enough.
    const days = new Map<string, Found>()
    for (const found of foundIn(payloads)) days.set(found.day, found)
    const missing = new Set<string>()
    for (const [day, found] of days) if (!(await isStored(table, found))) missing.add(day)
    if (missing.size === 0) return []
    const rows: Buffer[] = []
    for (const { row, day } of foundIn(payloads)) if (missing.has(day)) rows.push(row)
    return rows
  }
}

type Found = { row: Buffer; isBinary: boolean; day: string }

function* foundIn(payloads: readonly Payload[]): Generator<Found> {
  for (const payload of payloads) {
    const isBinary = payload.shape !== undefined
    for (const row of rowsOf(payload)) yield { row, isBinary, day: dayOf(row, isBinary) }
  }
}
