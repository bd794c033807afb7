/** How long readings of logs take through HTTP, with few and with many logs in the engine. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type ClickHouse, createClickHouse } from '../src/platform/clickhouse/client.ts'
import { placeOf } from '../src/platform/clickhouse/embedded/place.ts'
import { urlOf } from '../src/platform/clickhouse/embedded/probe.ts'
import { readState } from '../src/platform/clickhouse/embedded/state-file.ts'
import { createLog } from '../src/platform/log.ts'
import type { Cleanup } from './cleanup.ts'
import { emptySpool, type LogsBed, signIn, untilArrived } from './logs-bed.ts'
import { DEVICES } from './logs-entries.ts'
import { COMMON_WORD, fillStatements, PHRASE, rareWord } from './logs-rows.ts'
import type { BenchOptions } from './options.ts'
import { type QueryLatency, summariseQueries } from './statistics.ts'

export type QueryRow = QueryLatency & { query: string; rows: number }

type Query = {
  name: string
  /** @param turn another one asks about something else, where it can */
  path: (turn: number, rows: number) => string
  /** @returns whether the content can be right */
  isRight: (content: never, rows: number) => boolean
}

type Page = { logs: unknown[]; pagination: { total: number } }
const isFull = ({ logs }: Page): boolean => logs.length === PAGE
const PAGE = 50

const QUERIES: Query[] = [
  {
    name: 'first page',
    path: () => 'logs?',
    isRight: (page: Page, rows) => isFull(page) && page.pagination.total === rows,
  },
  {
    name: 'page of a device and a level',
    path: (turn) => `logs?device_id=${deviceOf(turn)}&level=error,fatal`,
    isRight: ({ logs, pagination }: Page) => logs.length > 0 && pagination.total > 0,
  },
  {
    name: 'search, common word',
    path: () => `logs/search?q=${COMMON_WORD}`,
    isRight: isFull,
  },
  {
    name: 'search, rare word',
    path: (turn, rows) => `logs/search?q=${rareWord((turn * 7_919_993) % rows)}`,
    isRight: ({ logs }: Page) => logs.length === 1,
  },
  {
    name: 'search, phrase',
    path: () => `logs/search?q=${encodeURIComponent(`"${PHRASE}"`)}`,
    isRight: isFull,
  },
  {
    name: 'error groups',
    path: () => 'errors?',
    isRight: (groups: unknown[]) => groups.length === PAGE,
  },
  {
    name: 'overview',
    path: () => 'overview?',
    isRight: ({ logs }: { logs: { total: number } }, rows) => logs.total === rows,
  },
  {
    name: 'trends by day',
    path: () => 'trends?granularity=day',
    isRight: (points: unknown[]) => points.length > 0,
  },
  {
    name: 'trends by hour',
    path: () => 'trends?granularity=hour',
    isRight: (points: unknown[]) => points.length > 0,
  },
]

const TURNS = 40
const TURNS_QUICK = 20
const WARM_TURNS = 3
const QUIET_MAX_MS = 240_000
const QUERY_TIMEOUT_MS = 600_000

export async function measureQueries(
  bed: LogsBed,
  options: BenchOptions,
  cleanup: Cleanup,
): Promise<QueryRow[]> {
  const clickhouse = openEngine(bed)
  cleanup.add(clickhouse.close)
  const token = await signIn(bed)
  await untilArrived(bed)
  await emptySpool(bed)
  await clickhouse.command('truncate table edge_logs')
  await addDevices(bed)
  const measured: QueryRow[] = []
  let filled = 0
  for (const rows of options.rows.toSorted((a, b) => a - b)) {
    bed.tell(`making ${rows - filled} logs in the analytics engine`)
    const fill = { org_id: bed.service.org_id, from: filled, to: rows, now: new Date() }
    for (const statement of fillStatements(fill)) await clickhouse.command(statement)
    filled = rows
    await untilQuiet(clickhouse, bed)
    bed.tell(`asking ${rows} logs`)
    measured.push(...(await askAll(bed, token, { rows, is_quick: options.is_quick })))
  }
  return measured
}

function openEngine({ postgres }: LogsBed): ClickHouse {
  const address = () => {
    const state = readState(placeOf(postgres.data_dir).state_file)
    if (!state) return Promise.reject(new Error('the analytics engine is not there'))
    const { username, password } = state
    return Promise.resolve({ url: urlOf(state), username, password, database: 'vigil' })
  }
  return createClickHouse({ address, timeout_ms: QUERY_TIMEOUT_MS, log: createLog('warn') })
}

/** As if each of them had sent something. */
async function addDevices({ sql, service }: LogsBed): Promise<void> {
  await sql(
    `insert into edge_devices (org_id, mode, device_id, created_at, last_seen_at)
     select $1, 'live', 'device-' || lpad(n::text, 4, '0'), now(), now()
     from generate_series(0, $2::integer - 1) as n on conflict do nothing`,
    [service.org_id, DEVICES],
  )
}

/** What merges of the parts that were just made take is not what a reading usually has beside it. */
async function untilQuiet(clickhouse: ClickHouse, { tell }: LogsBed): Promise<void> {
  const until = performance.now() + QUIET_MAX_MS
  let quietLooks = 0
  while (quietLooks < 4) {
    const [{ merges } = { merges: 0 }] = await clickhouse.query<{ merges: number }>(
      'select count() as merges from system.merges',
    )
    quietLooks = merges === 0 ? quietLooks + 1 : 0
    if (performance.now() > until) return tell('  parts are still being merged')
    await sleep(250)
  }
}

async function askAll(
  bed: LogsBed,
  token: string,
  { rows, is_quick }: { rows: number; is_quick: boolean },
): Promise<QueryRow[]> {
  const latencies = new Map(QUERIES.map(({ name }): [string, number[]] => [name, []]))
  const turns = is_quick ? TURNS_QUICK : TURNS
  // In turn, so that what else the machine does meets all of them.
  for (let turn = -WARM_TURNS; turn < turns; turn += 1) {
    for (const query of QUERIES) {
      const ms = await askOnce(bed, token, query, { turn: turn + WARM_TURNS, rows })
      if (turn >= 0) latencies.get(query.name)?.push(ms)
    }
  }
  return [...latencies].map(([query, ms]) => ({ query, rows, ...summariseQueries(ms) }))
}

async function askOnce(
  { service }: LogsBed,
  token: string,
  { name, path, isRight }: Query,
  { turn, rows }: { turn: number; rows: number },
): Promise<number> {
  const url = `http://127.0.0.1:${service.port}/v1/edge/${path(turn, rows)}&org_id=${service.org_id}`
  const begun = performance.now()
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  const text = await answer.text()
  const ms = performance.now() - begun
  if (answer.status !== 200) {
    throw new Error(`${name}: wrong answer: ${answer.status} ${text.slice(0, 300)}`)
  }
  const { content } = JSON.parse(text) as { content: never }
  if (!isRight(content, rows)) {
    throw new Error(`${name} of ${rows}: cannot be right: ${text.slice(0, 300)}`)
  }
  return ms
}

const deviceOf = (turn: number): string =>
  `device-${String((turn * 31) % DEVICES).padStart(4, '0')}`
