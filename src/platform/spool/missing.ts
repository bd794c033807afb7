/**
 * Finds rows of a block that the embedded engine lost although it treats the block as a repetition:
 * it records the id of a block shortly before its rows, so a crash in between leaves only the id.
 */
import type { ClickHouse } from '../clickhouse/client.ts'

/** @returns the lines of the block that are missing in the engine */
export type FindMissing = (target: string, lines: readonly Buffer[]) => Promise<Buffer[]>

const TIMEOUT_MS = 5000

/** Only for an engine that reads its own writes; a replica that answers may lag behind. */
export function createFindMissing(clickhouse: Pick<ClickHouse, 'query'>): FindMissing {
  const isStored = async (target: string, line: Buffer): Promise<boolean> => {
    const { org_id, mode, timestamp_ms, id } = JSON.parse(line.toString()) as Key
    const rows = await clickhouse.query<{ found: number }>(
      `select count() as found from ${target} where org_id = {org_id:UUID} and mode = {mode:String}
        and timestamp_ms = {timestamp_ms:Int64} and id = {id:UUID}`,
      { org_id, mode, timestamp_ms, id },
      { timeout_ms: TIMEOUT_MS },
    )
    return rows.some(({ found }) => found > 0)
  }
  return async (target, lines) => {
    // The rows of a day, which is a partition, arrive together or not at all, so one row is enough.
    const days = new Map(lines.flatMap(linesOf).map((line) => [dayOf(line), line]))
    const missing = new Set<string>()
    for (const [day, line] of days) if (!(await isStored(target, line))) missing.add(day)
    if (missing.size === 0) return []
    return lines.flatMap(linesOf).filter((line) => missing.has(dayOf(line)))
  }
}

type Key = { org_id: string; mode: string; timestamp_ms: number; id: string }

function linesOf(rows: Buffer): Buffer[] {
  const lines: Buffer[] = []
  let start = 0
  while (start < rows.length) {
    const end = rows.indexOf('\n', start) + 1 || rows.length
    lines.push(rows.subarray(start, end))
    start = end
  }
  return lines
}

/** `received_at` is near the beginning of every line, before any text of a client. */
const HEAD_BYTES = 160
const RECEIVED_ON = /"received_at":"(\d{4}-\d\d-\d\d)/
const dayOf = (line: Buffer): string =>
  RECEIVED_ON.exec(line.toString('latin1', 0, HEAD_BYTES))?.[1] ?? ''
