/**
 * Restores a backup. PostgreSQL is filled in one transaction, which commits last, after the analytics
 * engine is filled. A restore that is killed leaves PostgreSQL as it was, and can begin again.
 */
import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { beginLoad, deleteRows, endLoad } from '../clickhouse/dump.ts'
import { OperatorError } from '../operator-error.ts'
import { loadTables } from '../postgres/load.ts'
import type { Migration } from '../postgres/migrate.ts'
import { listPendingRows } from '../spool/pending.ts'
import type { AnalyticsTables } from './create.ts'
import { damaged, type Manifest, type OpenBackup } from './format.ts'
import { readSegments } from './segments.ts'
import type { BackupStore } from './store.ts'

export type RestoreOptions = OpenBackup & {
  store: BackupStore
  client: Client
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
  const { store, client, manifest, key, migrations, overwrites, onTable, analytics } = options
  const { postgres, id } = manifest
  const rowsOf = (table: string) =>
    readSegments(store, { id, key }, postgres.contents[table] ?? { segments: [] })
  await client.query('begin')
  try {
    await loadTables(client, {
      shape: { ...postgres, taken_at: new Date(manifest.taken_at) },
      migrations,
      overwrites,
      rowsOf,
      onTable: (table, rows) => {
        refuseOther(manifest, postgres.contents, table, rows)
        onTable(table, rows)
      },
    })
    if (analytics && manifest.analytics) await restoreAnalytics(options, analytics)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
  if (analytics && manifest.analytics) await endLoad(analytics)
}

async function restoreAnalytics(
  { store, client, manifest, key, overwrites, removes_pending, onTable }: RestoreOptions,
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
  for await (const { table, ids } of listPendingRows(client)) {
    if (contents[table]) await deleteRows(analytics, table, ids)
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
  contents: Manifest['postgres']['contents'],
  table: string,
  rows: number,
): void {
  const expected = contents[table]?.rows
  if (rows !== expected) throw damaged(id, `${table} has ${rows} rows instead of ${expected}`)
}
