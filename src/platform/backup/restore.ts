/**
 * Restores a backup. PostgreSQL is filled in one transaction, which commits last, after the analytics
 * engine is filled. A restore that is killed leaves PostgreSQL as it was, and can begin again. Further cells are filled
 * before, each in a separate transaction that marks it, so that a restore that begins again goes on behind them.
 */
import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { beginLoad, deleteRows, endLoad } from '../clickhouse/dump.ts'
import { OperatorError } from '../operator-error.ts'
import { loadTables } from '../postgres/load.ts'
import type { Migration } from '../postgres/migrate.ts'
import { listPendingRows } from '../spool/pending.ts'
import type { AnalyticsTables } from './create.ts'
import {
  type CellContent,
  type DatabaseContent,
  damaged,
  type Manifest,
  type OpenBackup,
} from './format.ts'
import { readSegments } from './segments.ts'
import type { BackupStore } from './store.ts'

export type RestoreOptions = OpenBackup & {
  store: BackupStore
  client: Client
  /** Connections to the targets of the further cells, by name. */
  cells?: ReadonlyMap<string, Client>
  /** Runs in the transaction of the directory, when all cells are filled. */
  complete?: (directory: Client) => Promise<void>
  migrations: readonly Migration[]
  /** Undefined to leave out logs and events. */
  analytics: AnalyticsTables
  overwrites: boolean
  /** Whether to delete logs that wait in the spool, too, and would appear twice. */
  removes_pending: boolean
  onTable: (table: string, rows: number) => void
}

/** A block of the analytics engine can have 64 MB; lines are short compared with that. */
const INSERT_BYTES = 8_388_608
const NEWLINE = 10

export async function restoreBackup(options: RestoreOptions): Promise<void> {
  const { client, manifest, analytics } = options
  for (const cell of manifest.cells ?? []) await restoreCell(options, cell)
  await client.query('begin')
  try {
    await restoreDatabase(options, { client, content: manifest.postgres, prefix: '' })
    await options.complete?.(client)
    if (analytics && manifest.analytics) await restoreAnalytics(options, analytics)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
  for (const cell of options.cells?.values() ?? []) await cell.query(markOf(null))
  if (analytics && manifest.analytics) await endLoad(analytics)
}

const MARKED_TABLE = 'schema_migrations'
const markOf = (id: string | null): string =>
  `comment on table ${MARKED_TABLE} is ${id === null ? 'null' : `'restored from ${id}'`}`

async function restoreCell(
  options: RestoreOptions,
  { name, postgres: content }: CellContent,
): Promise<void> {
  const client = options.cells?.get(name)
  const { id } = options.manifest
  if (!client) throw new Error(`cell ${name} has no target`)
  if (!options.overwrites && (await isMarked(client, id))) return
  await client.query('begin')
  try {
    await restoreDatabase(options, { client, content, prefix: `${name}/` })
    await client.query(markOf(id))
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

async function isMarked(client: Client, id: string): Promise<boolean> {
  const { rows } = await client.query<{ is_marked: boolean }>(
    `select coalesce(obj_description(to_regclass($1), 'pg_class') = $2, false) as is_marked`,
    [MARKED_TABLE, `restored from ${id}`],
  )
  return rows[0]?.is_marked === true
}

async function restoreDatabase(
  { store, manifest, key, migrations, overwrites, onTable }: RestoreOptions,
  { client, content, prefix }: { client: Client; content: DatabaseContent; prefix: string },
): Promise<void> {
  const { id } = manifest
  await loadTables(client, {
    shape: { ...content, taken_at: new Date(manifest.taken_at) },
    migrations,
    overwrites,
    rowsOf: (table) =>
      readSegments(store, { id, key }, content.contents[table] ?? { segments: [] }),
    onTable: (table, rows) => {
      refuseOther(manifest, content.contents, table, rows)
      onTable(`${prefix}${table}`, rows)
    },
  })
}

async function restoreAnalytics(
  { store, client, cells, manifest, key, overwrites, removes_pending, onTable }: RestoreOptions,
  analytics: NonNullable<AnalyticsTables>,
): Promise<void> {
  const contents = manifest.analytics?.contents ?? {}
  const unknown = Object.keys(contents).find((table) => !analytics.tables.includes(table))
  if (unknown !== undefined) {
    throw new OperatorError(
      `The backup has the table ${unknown}, which this version of Vigil lacks: it was taken by a newer version.`,
    )
  }
  await beginLoad(analytics, Object.keys(contents), overwrites)
  // The engine ignores a token that it has seen, also one of a restore that was interrupted.
  const run = randomUUID()
  let blocks = 0
  for (const [table, content] of Object.entries(contents)) {
    for await (const plain of readSegments(store, { id: manifest.id, key }, content)) {
      for (const lines of blocksOf(plain)) {
        blocks += 1
        const signal = AbortSignal.timeout(INSERT_DEADLINE_MS)
        await analytics.clickhouse.insert(table, [lines], `${run}:${blocks}`, signal)
      }
    }
    onTable(table, content.rows)
  }
  if (!removes_pending) return
  // The snapshot shows these as waiting, although they had arrived when they were read.
  for (const each of [client, ...(cells?.values() ?? [])]) {
    for await (const { table, ids } of listPendingRows(each)) {
      if (contents[table]) await deleteRows(analytics, table, ids)
    }
  }
}

const INSERT_DEADLINE_MS = 300_000

function* blocksOf(plain: Buffer): Generator<Buffer> {
  let start = 0
  while (start < plain.length) {
    const limit = start + INSERT_BYTES
    const before = limit < plain.length ? plain.lastIndexOf(NEWLINE, limit) : -1
    const next =
      before >= start ? before : plain.indexOf(NEWLINE, Math.min(limit, plain.length - 1))
    const end = next < 0 || limit >= plain.length ? plain.length : next + 1
    yield plain.subarray(start, end)
    start = end
  }
}

function refuseOther(
  { id }: Manifest,
  contents: DatabaseContent['contents'],
  table: string,
  rows: number,
): void {
  const expected = contents[table]?.rows
  if (rows !== expected) throw damaged(id, `${table} has ${rows} rows instead of ${expected}`)
}
