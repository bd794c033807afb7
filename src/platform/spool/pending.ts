/** Reads which rows wait in the spool for the analytics engine, for a restore. */
import type { Client } from 'pg'
import { decodePayload, type Encoded } from './payload.ts'
import { keyOf, rowsOf } from './rows.ts'

const BATCH_ROWS = 200
const UNGROUPED = /_ungrouped$/

/** Yields ids by table of the analytics engine, a part of the spool at a time. */
export async function* listPendingRows(
  client: Client,
): AsyncGenerator<{ table: string; ids: string[] }> {
  let last = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await client.query<{ id: string; target: string } & Encoded>(
      `select id, target, payload, bytes from analytics_spool
       where flushed_at is null and id > $1 order by id limit ${BATCH_ROWS}`,
      [last],
    )
    const byTable = new Map<string, string[]>()
    for (const { target, payload, bytes } of rows) {
      const decoded = await decodePayload({ payload, bytes })
      const table = target.replace(UNGROUPED, '')
      const ids = byTable.get(table) ?? []
      const isBinary = decoded.shape !== undefined
      for (const row of rowsOf(decoded)) ids.push(keyOf(row, isBinary).id)
      byTable.set(table, ids)
    }
    for (const [table, ids] of byTable) yield { table, ids }
    const end = rows.at(-1)
    if (!end || rows.length < BATCH_ROWS) return
    last = end.id
  }
}
