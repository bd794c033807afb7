/**
 * The path from the spool to the analytics engine, in a process of its own: the flusher of the service on a
 * full spool, and the same rows from memory with the same client into a table with the same definition.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { openAnalyticsOf } from '../src/app/stores.ts'
import { readConfig } from '../src/config.ts'
import { LOG_ROWS } from '../src/modules/edge/index.ts'
import type { ClickHouse } from '../src/platform/clickhouse/client.ts'
import { createLog } from '../src/platform/log.ts'
import { type Database, openDatabase } from '../src/platform/postgres/db.ts'
import type { PostgresAddress } from '../src/platform/postgres/embedded/place.ts'
import { createFlusher } from '../src/platform/spool/index.ts'
import { decodePayload } from '../src/platform/spool/payload.ts'
import { waitUntil } from './bed.ts'
import type { Run } from './rounds.ts'
import { serveJobs } from './worker.ts'

export type LogsDrainJob =
  /** The other jobs insert the entries that are in the spool at this time. */
  | { step: 'prepare'; data_dir: string; address: PostgresAddress }
  /** Restores the spool and empties both tables of the engine. */
  | { step: 'reset' }
  | { step: 'flusher' | 'raw' }

type Drain = { db: Database; clickhouse: ClickHouse; blocks: Block[]; entries: number }
type Block = { rows: Buffer[]; entries: number }

const TARGET = 'edge_logs'
const { columns } = LOG_ROWS
const COPY = 'bench_edge_logs'
/** The largest block of the flusher, and the number of raw blocks that are inserted at a time. */
const BLOCK_ENTRIES_MAX = 50_000
const BLOCKS_IN_FLIGHT = 2
const DEADLINE_MS = 60_000
const POLL_MS = 2

export async function serveLogsDrain(): Promise<void> {
  let prepared: Drain | undefined
  await serveJobs<LogsDrainJob, Run>(async (job) => {
    if (job.step === 'prepare') prepared ??= await prepare(job.data_dir, job.address)
    if (!prepared) throw new Error('the first job has to be "prepare"')
    switch (job.step) {
      case 'prepare':
        return { units: prepared.entries, per_second: 0 }
      case 'reset':
        await reset(prepared)
        return { units: 0, per_second: 0 }
      case 'flusher':
        return await rateOf(prepared, TARGET, flush)
      case 'raw':
        return await rateOf(prepared, COPY, insertRaw)
    }
  })
}

async function prepare(data_dir: string, server: PostgresAddress): Promise<Drain> {
  const config = readConfig({ VIGIL_DATA_DIR: data_dir })
  const log = createLog('warn')
  const db = openDatabase({ server, pool_size: 4, prepared_statements: true, log })
  const progress = () => undefined
  const { clickhouse, ready } = openAnalyticsOf(config, { data_dir, log, progress })
  await ready()
  await clickhouse.command(`create table if not exists ${COPY} as ${TARGET}`)
  await checkCopy(clickhouse)
  // Rows with errors beyond the budget for grouping wait for a worker, which does not run here.
  await sql`
    create table bench_backlog as
    select row_number() over (order by id) as place, org_id, mode, target, entries, payload, bytes
    from analytics_spool where target = ${sql.lit(TARGET)}`.execute(db)
  const blocks = await readBlocks(db)
  const entries = blocks.reduce((sum, block) => sum + block.entries, 0)
  return { db, clickhouse, blocks, entries }
}

/** Compares keys, indexes, projections and settings too. */
async function checkCopy(clickhouse: ClickHouse): Promise<void> {
  const tables = await clickhouse.query<{ name: string; sql: string }>(
    `select name, create_table_query as sql from system.tables
     where database = currentDatabase() and name in ({table:String}, {copy:String})`,
    { table: TARGET, copy: COPY },
  )
  const definitions = tables.map(({ name, sql: text }) => text.replace(`.${name} `, '.* '))
  if (definitions.length !== 2 || definitions[0] !== definitions[1]) {
    throw new Error(`${COPY} is not defined like ${TARGET}: ${definitions.join('\n')}`)
  }
}

/** Reads and cuts the rows in the same order and into the same blocks as the flusher does. */
async function readBlocks(db: Database): Promise<Block[]> {
  const { rows } = await sql<{ entries: number; payload: Buffer; bytes: number }>`
    select entries, payload, bytes from bench_backlog order by place`.execute(db)
  const blocks: Block[] = []
  let current: Block | undefined
  for (const { entries, payload, bytes } of rows) {
    if (!current || current.entries + entries > BLOCK_ENTRIES_MAX) {
      current = { rows: [], entries: 0 }
      blocks.push(current)
    }
    current.rows.push((await decodePayload({ payload, bytes })).rows)
    current.entries += entries
  }
  return blocks
}

async function reset({ db, clickhouse }: Drain): Promise<void> {
  for (const table of [TARGET, COPY]) await clickhouse.command(`truncate table ${table}`)
  await sql`truncate analytics_spool`.execute(db)
  await sql`
    insert into analytics_spool (org_id, id, mode, target, entries, payload, bytes)
    select org_id, uuidv7(), mode, target, entries, payload, bytes
    from bench_backlog order by place`.execute(db)
}

/** @throws Error unless every entry is in the table, once */
async function rateOf(
  drain: Drain,
  table: string,
  insertAll: (drain: Drain) => Promise<() => Promise<void>>,
): Promise<Run> {
  const begun = performance.now()
  const finish = await insertAll(drain)
  const seconds = (performance.now() - begun) / 1000
  await finish()
  const [{ count } = { count: 0 }] = await drain.clickhouse.query<{ count: number }>(
    `select count() as count from ${table}`,
  )
  if (count !== drain.entries) throw new Error(`${count} of ${drain.entries} are in ${table}`)
  return { units: drain.entries, per_second: drain.entries / seconds }
}

async function flush({ db, clickhouse, entries }: Drain): Promise<() => Promise<void>> {
  let arrived = 0
  const flusher = createFlusher({
    db,
    clickhouse,
    log: createLog('warn'),
    target: TARGET,
    columns,
    deadline_ms: DEADLINE_MS,
    observe: (flushed) => {
      if (flushed.outcome === 'arrived') arrived += flushed.entries
    },
  })
  flusher.start()
  await waitUntil('all entries have arrived', POLL_MS, () => Promise.resolve(arrived >= entries))
  return async () => await flusher.stop(DEADLINE_MS)
}

async function insertRaw({ clickhouse, blocks }: Drain): Promise<() => Promise<void>> {
  const waiting = [...blocks]
  const table = `${COPY} (${columns.join(', ')})`
  const insertBlocks = async () => {
    for (let block = waiting.shift(); block; block = waiting.shift()) {
      const signal = AbortSignal.timeout(DEADLINE_MS)
      await clickhouse.insert(table, block.rows, randomUUID(), signal, 'RowBinary')
    }
  }
  await Promise.all(Array.from({ length: BLOCKS_IN_FLIGHT }, insertBlocks))
  return async () => {}
}
