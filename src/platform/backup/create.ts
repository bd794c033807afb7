/**
 * Takes a backup while the service runs: PostgreSQL in one snapshot for each cell, then the analytics engine. The
 * snapshots are open at the same time, and that of the directory is the last: it has the keys of secrets of the cells, and
 * what it has applied of their changes is not applied again.
 */
import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { type Place, readBlocks } from '../clickhouse/dump.ts'
import type { Clock } from '../clock.ts'
import { type DumpShape, inSnapshot, readTable } from '../postgres/dump.ts'
import {
  type CellContent,
  type DatabaseContent,
  type Manifest,
  manifestName,
  type Summary,
  sealObject,
  summaryName,
  type TableContent,
} from './format.ts'
import { createBackupKey, type KeySources } from './keys.ts'
import { contentsOf } from './open.ts'
import { createSegmentWriter, type SegmentSink } from './segments.ts'
import type { BackupStore } from './store.ts'

/** Tables of the analytics engine; undefined if it holds nothing, or is left out. */
export type AnalyticsTables = (Place & { tables: readonly string[] }) | undefined

export type CellSource = Omit<CellContent, 'postgres'> & { client: Client }

export type CreateOptions = {
  store: BackupStore
  /** The connection to the directory. */
  client: Client
  cells: readonly CellSource[]
  /**
   * Called when all snapshots are open, with a time before the first.
   *
   * @throws to end the backup
   */
  onSnapshots: (since: Date, directory: Client) => Promise<void>
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
  const { store, clock, analytics, vigil_version, onTable, signal } = options
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
  const { databases, since } = await readDatabases(options, sink)
  const directory = databases.at(-1)
  if (!directory) throw new Error('the directory was not read')
  const { taken_at: _taken_at, ...postgres } = directory
  const cells = options.cells.map(({ client: _client, ...cell }, index) => {
    const { taken_at: _, ...content } = databases[index] ?? directory
    return { ...cell, postgres: content }
  })
  const logs = analytics ? { contents: await readAnalytics(analytics, sink, onTable) } : null
  const manifest: Manifest = {
    id,
    // Each snapshot has everything that was acknowledged before.
    taken_at: since.toISOString(),
    vigil_version,
    postgres,
    ...(cells.length > 0 && { cells }),
    analytics: logs,
  }
  const name = manifestName(id)
  const box = await sealObject(key, name, Buffer.from(JSON.stringify(manifest)))
  await store.put(name, box)
  const contents = contentsOf(manifest)
  const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)
  const summary: Summary = {
    format: 'vigil-backup',
    format_version: cells.length > 0 ? 2 : 1,
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

type ReadDatabase = DatabaseContent & { taken_at: Date }

/**
 * @returns what was read, in the order of the cells with the directory at the end, and a time before the first snapshot,
 * by the clock of the directory
 */
async function readDatabases(
  { client: directory, cells, onSnapshots, onTable }: CreateOptions,
  sink: SegmentSink,
): Promise<{ databases: ReadDatabase[]; since: Date }> {
  const sources = [...cells, { name: undefined, client: directory }]
  const times = await directory.query<{ since: Date }>('select clock_timestamp() as since')
  const since = times.rows[0]?.since
  if (!since) throw new Error('the server returned no time')
  const shapes: DumpShape[] = []
  const open = async (): Promise<ReadDatabase[]> => {
    const next = sources[shapes.length]
    if (next) {
      return await inSnapshot(next.client, async (shape) => {
        shapes.push(shape)
        return await open()
      })
    }
    await onSnapshots(since, directory)
    const databases: ReadDatabase[] = []
    for (const [index, { name, client }] of sources.entries()) {
      const shape = shapes[index]
      if (!shape) throw new Error('a snapshot is missing')
      const prefix = name === undefined ? '' : `${name}/`
      const contents = await readTables(client, { sink, shape }, (table, rows) =>
        onTable(`${prefix}${table}`, rows),
      )
      databases.push({ ...shape, contents })
    }
    return databases
  }
  const databases = await open()
  return { databases, since }
}

async function readTables(
  client: Client,
  { sink, shape }: { sink: SegmentSink; shape: DumpShape },
  onTable: CreateOptions['onTable'],
): Promise<Record<string, TableContent>> {
  const contents: Record<string, TableContent> = {}
  for (const table of shape.tables) {
    const writer = createSegmentWriter(sink)
    await readTable(client, table, writer.add)
    const content = await writer.end()
    contents[table.name] = content
    onTable(table.name, content.rows)
  }
  return contents
}

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
