/** The numbers of `npm run bench -- logs`, and how they are printed. */
import type { VisibleDelay } from './logs-delay.ts'
import type { Drain, Draining } from './logs-drain.ts'
import type { IngestRow, WholeIngest } from './logs-ingest.ts'
import type { QueryRow } from './logs-queries.ts'
import { aimLine, fine, spread, table, whole } from './report.ts'

export type LogsMemory = { when: string; service_mb: number; engine_mb: number }

export type LogsReport = {
  machine: string
  seconds: number
  ingest: IngestRow[]
  whole: WholeIngest
  drain: Drain
  delay: VisibleDelay
  /** Empty when they were left out. */
  queries: QueryRow[]
  memory: LogsMemory[]
}

const AIM_INGEST_RATIO = 0.6
const AIM_DRAIN_RATIO = 0.9
const AIM_DELAY_P99_MS = 2000
const AIM_QUERY_P95_MS = 300

export function printLogs(report: LogsReport): string {
  const { machine, seconds, ingest, drain, delay, queries, memory } = report
  return [
    `logs; runs of ${seconds} s, medians`,
    machine,
    '',
    'acknowledged by POST /edge/logs, nothing passed on meanwhile, and raw inserts of the same bytes',
    table(INGEST_HEAD, ingest.map(ingestCells)),
    '',
    table(COST_HEAD, ingest.map(costCells)),
    '',
    ...wholeLines(report),
    '',
    `from the spool into the engine, ${drain.entries} entries`,
    table(DRAIN_HEAD, [drainCells('flusher', drain.flusher), drainCells('raw', drain.raw)]),
    `  ratio (least, most): ${spread(drain.ratio, drain.ratio_each).join(' ')}`,
    '',
    `from sending to reading at half load: ${whole(delay.per_second)}/s of ${whole(delay.asked_per_second)}/s asked, ${delay.probes} probes`,
    `  p50 ${whole(delay.p50_ms)} ms, p99 ${whole(delay.p99_ms)} ms, longest ${whole(delay.max_ms)} ms; event-loop delay p99 ${fine(delay.event_loop_delay_p99_ms)} ms`,
    '',
    ...(queries.length > 0 ? [...queryLines(queries), ''] : []),
    'memory, resident',
    table(
      ['', 'service MB', 'engine MB'],
      memory.map(({ when, service_mb, engine_mb }) => [when, whole(service_mb), whole(engine_mb)]),
    ),
    '',
    ...aimLines(report),
  ].join('\n')
}

const INGEST_HEAD = [
  'batch',
  'clients',
  'entries/s',
  'p50 ms',
  'p99',
  'raw entries/s',
  'p50',
  'p99',
  'ratio',
  '(least',
  'most)',
]

function ingestCells(row: IngestRow): string[] {
  const { entries, clients, http, inserts, ratio, ratio_each } = row
  return [
    batchName(row),
    String(clients),
    whole(http.per_second * entries),
    fine(http.p50_ms),
    fine(http.p99_ms),
    whole(inserts.per_second * entries),
    fine(inserts.p50_ms),
    fine(inserts.p99_ms),
    ...spread(ratio, ratio_each),
  ]
}

const COST_HEAD = [
  'batch',
  'clients',
  'CPU µs per entry:',
  'load',
  'service',
  'postgres',
  'raw:',
  'client',
  'postgres',
  'others %',
]

function costCells(row: IngestRow): string[] {
  const { entries, clients, http, inserts } = row
  const each = (us: number) => fine(us / entries)
  return [
    batchName(row),
    String(clients),
    '',
    ...[http.cpu_us.client, http.cpu_us.service, http.cpu_us.postgres].map(each),
    '',
    ...[inserts.cpu_us.client, inserts.cpu_us.postgres].map(each),
    whole(row.taken_elsewhere * 100),
  ]
}

const batchName = ({ entries, kind }: IngestRow): string =>
  kind.endsWith('gzip') ? `${entries} gzip` : String(entries)

function wholeLines({ whole: { clients, http, ratio, behind_seconds } }: LogsReport): string[] {
  return [
    `the same with ${clients} clients while the service also passes everything on: ${whole(http.per_second * WHOLE_ENTRIES)} entries/s, p50 ${fine(http.p50_ms)} ms, p99 ${fine(http.p99_ms)} ms`,
    `  ${fine(ratio)} of the raw inserts above; all had arrived ${fine(behind_seconds)} s after the last answer`,
  ]
}

const WHOLE_ENTRIES = 500
const DRAIN_HEAD = ['', 'entries/s', 'CPU µs per entry', 'blocks']

const drainCells = (name: string, { per_second, cpu_us, blocks }: Draining): string[] => [
  name,
  whole(per_second),
  fine(cpu_us),
  whole(blocks),
]

/** One line for each query, with as many columns as there were sizes. */
function queryLines(queries: readonly QueryRow[]): string[] {
  const sizes = [...new Set(queries.map(({ rows }) => rows))]
  const names = [...new Set(queries.map(({ query }) => query))]
  const find = (query: string, rows: number | undefined) =>
    queries.find((one) => one.query === query && one.rows === rows)
  const head = ['', ...sizes.flatMap((rows) => [`${rows / 1e6} M: p50 ms`, 'p95', 'longest'])]
  if (sizes.length > 1) head.push('growth of p50')
  const lines = names.map((name) => {
    const cells = sizes.flatMap((rows) => {
      const found = find(name, rows)
      return found ? [found.p50_ms, found.p95_ms, found.max_ms].map(whole) : ['', '', '']
    })
    const [first, last] = [find(name, sizes[0]), find(name, sizes.at(-1))]
    const growth = first && last ? [fine(last.p50_ms / first.p50_ms)] : []
    return [name, ...cells, ...(sizes.length > 1 ? growth : [])]
  })
  return ['readings through HTTP, one at a time', table(head, lines)]
}

function aimLines({ ingest, drain, delay, queries }: LogsReport): string[] {
  const [first] = ingest
  const main = ingest.filter(({ kind }) => kind === first?.kind)
  return [
    'aims:',
    ...main.map(({ clients, ratio }) =>
      aimLine(
        ratio >= AIM_INGEST_RATIO,
        `${fine(ratio)} of the raw insert with ${clients} clients, aim ${AIM_INGEST_RATIO}`,
      ),
    ),
    aimLine(
      drain.ratio >= AIM_DRAIN_RATIO,
      `${fine(drain.ratio)} of the raw insert from the spool into the engine, aim ${AIM_DRAIN_RATIO}`,
    ),
    aimLine(
      delay.p99_ms < AIM_DELAY_P99_MS,
      `p99 ${whole(delay.p99_ms)} ms from sending to reading, aim under ${AIM_DELAY_P99_MS}`,
    ),
    ...queries.map(({ query, rows, p95_ms }) =>
      aimLine(
        p95_ms < AIM_QUERY_P95_MS,
        `p95 ${whole(p95_ms)} ms for ${query} of ${rows / 1e6} M, aim under ${AIM_QUERY_P95_MS}`,
      ),
    ),
  ]
}
