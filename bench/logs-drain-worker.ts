/**
 * The way from the spool into the analytics engine, in a process of its own: the flusher of the
 * service on a spool that was filled before, and, with the same client, the same lines from memory
 * into a table of the same definition.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { readConfig } from '../src/config.ts'
import type { ClickHouse } from '../src/platform/clickhouse/client.ts'
import { createLog } from '../src/platform/log.ts'
import { type Database, openDatabase } from '../src/platform/postgres/db.ts'
import type { PostgresAddress } from '../src/platform/postgres/embedded/server.ts'
import { createFlusher } from '../src/platform/spool/index.ts'
import { openAnalyticsOf } from '../src/stores.ts'
import { cpuSecondsSince } from './loop.ts'
import { serveJobs } from './worker.ts'

/** `keep`: what waits in the spool becomes what is drained and inserted from then on. */
export type DrainJob =
  | { step: 'keep'; data_dir: string; address: PostgresAddress }
  | { step: DrainSubject }
export type DrainSubject = 'flusher' | 'raw'

export type DrainResult = { entries: number; blocks: number; seconds: number; cpu_seconds: number }

type Ground = { db: Database; clickhouse: ClickHouse; blocks: Block[] }
type Block = { lines: Buffer[]; entries: number }

const TARGET = 'edge_logs'
const COPY = 'bench_edge_logs'
/** As the flusher: the largest block, and how many are on their way at a time. */
const BLOCK_ENTRIES_MAX = 50_000
const BLOCKS_IN_FLIGHT = 2
const DEADLINE_MS = 60_000
const DRAIN_MAX_MS = 200_000

export async function serveLogsDrain(): Promise<void> {
  let ground: Promise<Ground> | undefined
  await serveJobs<DrainJob, DrainResult>(async (job) => {
    if (job.step === 'keep') ground ??= prepare(job.data_dir, job.address)
    const held = await ground
    if (!held) throw new Error('nothing was kept to be drained')
    if (job.step === 'keep') return { ...sumOf(held.blocks), seconds: 0, cpu_seconds: 0 }
    return job.step === 'flusher' ? await drain(held) : await insertRaw(held)
  })
}

async function prepare(data_dir: string, server: PostgresAddress): Promise<Ground> {
  const config = readConfig({ VIGIL_DATA_DIR: data_dir })
  const log = createLog('warn')
  const db = openDatabase({ server, pool_size: 4, prepared_statements: true, log })
  const { clickhouse, ready } = openAnalyticsOf(config, {
    data_dir,
    log,
    progress: () => undefined,
  })
  await ready()
  await clickhouse.command(`create table if not exists ${COPY} as ${TARGET}`)
  await checkCopy(clickhouse)
  await sql`
    create table bench_backlog as
    select row_number() over (order by id) as place, org_id, mode, target, entries, payload
    from analytics_spool`.execute(db)
  return { db, clickhouse, blocks: await blocksOf(db) }
}

/** Down to keys, indices, projections and settings. */
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

/** In the order in which the flusher takes them, cut as it cuts them. */
async function blocksOf(db: Database): Promise<Block[]> {
  const { rows } = await sql<{ entries: number; payload: Buffer }>`
    select entries, payload from bench_backlog order by place`.execute(db)
  const blocks: Block[] = []
  let current: Block | undefined
  for (const { entries, payload } of rows) {
    if (!current || current.entries + entries > BLOCK_ENTRIES_MAX) {
      current = { lines: [], entries: 0 }
      blocks.push(current)
    }
    current.lines.push(payload)
    current.entries += entries
  }
  return blocks
}

const sumOf = (blocks: readonly Block[]): { entries: number; blocks: number } => ({
  entries: blocks.reduce((sum, { entries }) => sum + entries, 0),
  blocks: blocks.length,
})

async function drain({ db, clickhouse, blocks }: Ground): Promise<DrainResult> {
  await clickhouse.command(`truncate table ${TARGET}`)
  await sql`truncate analytics_spool`.execute(db)
  await sql`
    insert into analytics_spool (org_id, id, mode, target, entries, payload, bytes)
    select org_id, uuidv7(), mode, target, entries, payload, length(payload)
    from bench_backlog order by place`.execute(db)
  const expected = sumOf(blocks).entries
  let arrived = 0
  let flushes = 0
  let onDone = () => {}
  const done = new Promise<void>((resolve) => {
    onDone = resolve
  })
  const flusher = createFlusher({
    db,
    clickhouse,
    log: createLog('warn'),
    target: TARGET,
    deadline_ms: DEADLINE_MS,
    observe: ({ entries, outcome }) => {
      if (outcome !== 'arrived') return
      arrived += entries
      flushes += 1
      if (arrived >= expected) onDone()
    },
  })
  const timer = setTimeout(onDone, DRAIN_MAX_MS)
  const result = await timed(async () => {
    flusher.start()
    await done
  })
  clearTimeout(timer)
  await flusher.stop(DEADLINE_MS)
  await checkCount(clickhouse, TARGET, expected)
  return { entries: expected, blocks: flushes, ...result }
}

async function insertRaw({ clickhouse, blocks }: Ground): Promise<DrainResult> {
  await clickhouse.command(`truncate table ${COPY}`)
  const waiting = [...blocks]
  const insertAll = async () => {
    for (let block = waiting.shift(); block; block = waiting.shift()) {
      await clickhouse.insert(COPY, block.lines, randomUUID(), AbortSignal.timeout(DEADLINE_MS))
    }
  }
  const result = await timed(async () => {
    await Promise.all(Array.from({ length: BLOCKS_IN_FLIGHT }, insertAll))
  })
  const sum = sumOf(blocks)
  await checkCount(clickhouse, COPY, sum.entries)
  return { ...sum, ...result }
}

async function timed(work: () => Promise<void>) {
  const cpu = process.cpuUsage()
  const begun = performance.now()
  await work()
  const seconds = (performance.now() - begun) / 1000
  return { seconds, cpu_seconds: cpuSecondsSince(cpu) }
}

async function checkCount(clickhouse: ClickHouse, table: string, expected: number): Promise<void> {
  const [{ count } = { count: 0 }] = await clickhouse.query<{ count: number }>(
    `select count() as count from ${table}`,
  )
  if (count !== expected) throw new Error(`${count} of ${expected} entries are in ${table}`)
}
