/** Compares a restored copy with its backup, by the rows and digests of all tables. */
import type { Client } from 'pg'
import { readBlocks } from '../clickhouse/dump.ts'
import { inSnapshot, readTable } from '../postgres/dump.ts'
import type { AnalyticsTables } from './create.ts'
import { createDigest } from './digest.ts'
import type { DatabaseContent, Manifest, TableContent } from './format.ts'

export type Difference = { table: string; expected: Content; found: Content }
type Content = { rows: number; digest: string }

export async function compareWithBackup(
  { postgres, cells = [], analytics: logs }: Manifest,
  {
    client,
    cells: copies = new Map(),
    analytics,
  }: { client: Client; cells?: ReadonlyMap<string, Client>; analytics: AnalyticsTables },
): Promise<{ compared: number; differences: Difference[] }> {
  const differences: Difference[] = []
  let compared = 0
  const compare = (table: string, expected: TableContent | undefined, found: Content) => {
    compared += 1
    const { rows = 0, digest = '' } = expected ?? {}
    if (rows !== found.rows || digest !== found.digest) {
      differences.push({ table, expected: { rows, digest }, found })
    }
  }
  const compareDatabase = async (content: DatabaseContent, copy: Client, prefix: string) => {
    const columns = new Map(content.tables.map((table) => [table.name, table.columns]))
    await inSnapshot(copy, async ({ tables }) => {
      for (const table of tables) {
        const digest = createDigest()
        // The order of the columns in the backup is that of its installation.
        const shape = { ...table, columns: columns.get(table.name) ?? table.columns }
        await readTable(copy, shape, (row) => {
          digest.add(row)
          return undefined
        })
        compare(`${prefix}${table.name}`, content.contents[table.name], digest.value())
      }
    })
  }
  await compareDatabase(postgres, client, '')
  for (const cell of cells) {
    const copy = copies.get(cell.name)
    if (!copy) throw new Error(`cell ${cell.name} was not restored`)
    await compareDatabase(cell.postgres, copy, `${cell.name}/`)
  }
  for (const [table, content] of Object.entries(logs?.contents ?? {})) {
    if (!analytics) continue
    const digest = createDigest()
    for await (const { lines } of readBlocks(analytics, table)) digest.addLines(lines)
    compare(table, content, digest.value())
  }
  return { compared, differences }
}
