/** Takes a backup while the service runs: PostgreSQL in one snapshot, then the analytics engine. */
import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { type Place, readBlocks } from '../clickhouse/dump.ts'
import type { Clock } from '../clock.ts'
import { inSnapshot, readTable } from '../postgres/dump.ts'
import {
  FORMAT_VERSION,
  type Manifest,
  manifestName,
  type Summary,
  sealObject,
  summaryName,
  type TableContent,
} from './format.ts'
import { createBackupKey, type KeySources } from './keys.ts'
import { createSegmentWriter, type SegmentSink } from './segments.ts'
import type { BackupStore } from './store.ts'

/** Tables of the analytics engine; undefined if it holds nothing, or is left out. */
export type AnalyticsTables = (Place & { tables: readonly string[] }) | undefined

export type CreateOptions = {
  store: BackupStore
  client: Client
  analytics: AnalyticsTables
  keys: KeySources
  clock: Clock
  vigil_version: string
  /** Called after each table, with the number of its rows. */
  onTable: (table: string, rows: number) => void
  signal: AbortSignal
}

const ID_BYTES = 4

/**
 * Rows of the analytics engine are read after the snapshot, so that what is in neither of both at one
 * instant does not exist. What is in both is removed by the restore.
 */
export async function createBackup(options: CreateOptions): Promise<Summary> {
  const { store, clock, client, analytics, vigil_version, onTable, signal } = options
  const id = newId(clock.now())
  const { key, wrapped } = await createBackupKey(id, options.keys)
  let number = 0
  const sink: SegmentSink = {
    store,
    id,
    key,
    nextNumber: () => {
      signal.throwIfAborted()
      number += 1
      return number
    },
  }
  const { taken_at, ...postgres } = await readPostgres(client, sink, onTable)
  const logs = analytics ? { contents: await readAnalytics(analytics, sink, onTable) } : null
  const manifest: Manifest = {
    id,
    taken_at: taken_at.toISOString(),
    vigil_version,
    postgres,
    analytics: logs,
  }
  const name = manifestName(id)
  const box = await sealObject(key, name, Buffer.from(JSON.stringify(manifest)))
  await store.put(name, box)
  const contents = [...Object.values(postgres.contents), ...Object.values(logs?.contents ?? {})]
  const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)
  const summary: Summary = {
    format: 'vigil-backup',
    format_version: FORMAT_VERSION,
    id,
    vigil_version,
    taken_at: manifest.taken_at,
    finished_at: clock.now().toISOString(),
    bytes: box.length + sum(contents.flatMap(({ segments }) => segments.map(({ bytes }) => bytes))),
    rows: sum(contents.map(({ rows }) => rows)),
    logs: logs !== null,
    keys: wrapped,
  }
  await store.put(summaryName(id), Buffer.from(`${JSON.stringify(summary, undefined, 2)}\n`))
  return summary
}

const newId = (now: Date): string => {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return `${time}-${randomBytes(ID_BYTES).toString('hex')}`
}

const readPostgres = async (client: Client, sink: SegmentSink, onTable: CreateOptions['onTable']) =>
  await inSnapshot(client, async (shape) => {
    const contents: Record<string, TableContent> = {}
    for (const table of shape.tables) {
      const writer = createSegmentWriter(sink)
      await readTable(client, table, writer.add)
      const content = await writer.end()
      contents[table.name] = content
      onTable(table.name, content.rows)
    }
    return { ...shape, contents }
  })

async function readAnalytics(
  { tables, ...place }: Place & { tables: readonly string[] },
  sink: SegmentSink,
  onTable: CreateOptions['onTable'],
): Promise<Record<string, TableContent>> {
  const contents: Record<string, TableContent> = {}
  for (const table of tables) {
    const writer = createSegmentWriter(sink)
    for await (const { lines } of readBlocks(place, table)) await writer.addLines(lines)
    const content = await writer.end()
    contents[table] = content
    onTable(table, content.rows)
  }
  return contents
}
