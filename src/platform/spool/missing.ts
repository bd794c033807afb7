/**
 * What the embedded engine lacks of a block that it takes for a repetition: it notes the name of a
 * block a moment before it has the block, and what is killed in between remembers only the name.
 */
import type { ClickHouse } from '../clickhouse/client.ts'
import type { SpoolTarget } from '../postgres/tables/edge.ts'

/** @returns the lines of the block that are not there */
export type FindMissing = (target: SpoolTarget, lines: readonly Buffer[]) => Promise<Buffer[]>

const TIMEOUT_MS = 5000

/**
 * Only for an engine that reads what it has just taken in; of several copies, the one that answers may
 * be late.
 */
export function createFindMissing(clickhouse: Pick<ClickHouse, 'query'>): FindMissing {
  const isThere = async (target: SpoolTarget, line: Buffer): Promise<boolean> => {
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
    // The rows of a day arrive as a whole, or not at all: one stands for the others.
    const days = new Map(lines.flatMap(linesOf).map((line) => [dayOf(line), line]))
    const missing = new Set<string>()
    for (const [day, line] of days) if (!(await isThere(target, line))) missing.add(day)
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

/** It stands near the beginning of every line, before anything that somebody else wrote. */
const HEAD_BYTES = 160
const RECEIVED_ON = /"received_at":"(\d{4}-\d\d-\d\d)/
const dayOf = (line: Buffer): string =>
  RECEIVED_ON.exec(line.toString('latin1', 0, HEAD_BYTES))?.[1] ?? ''
