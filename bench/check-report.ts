/** The numbers of `npm run bench -- check`, and how they are printed. */

export type Subject = {
  per_second: number
  p50_ms: number
  p99_ms: number
  /** Processor time per request, in microseconds; postgres is 0 where the system does not tell. */
  cpu_us: { client: number; service: number; postgres: number }
}

export type Row = {
  clients: number
  checks: Subject
  inserts: Subject
  bare_http: Subject
  /** Medians of the ratios of the rounds. */
  to_inserts: number
  to_inserts_each: number[]
  to_bare_http: number
  /** Share of the machine's processors that other programs had meanwhile, 0 to 1. */
  taken_elsewhere: number
}

export type HalfLoad = {
  asked_per_second: number
  per_second: number
  p50_ms: number
  p99_ms: number
  max_ms: number
  worst_p99_ms: number
  event_loop_delay_p99_ms: number
}

export type Memory = {
  /** When the service had just started. */
  ready_mb: number
  samples: { requests: number; rss_mb: number; heap_mb: number }[]
  per_second: number
  /** Growth of the median, from the start to the first half and from there to the second. */
  first_half_mb: number
  second_half_mb: number
}

export type CheckReport = {
  machine: string
  domains: number
  seconds: number
  rows: Row[]
  half_load: HalfLoad
  memory: Memory | undefined
}

const AIM_CLIENTS = 32
const AIM_RATIO = 0.5
const AIM_P99_MS = 15
/** A leak of 100 bytes a request, in a run of 200,000. */
const AIM_GROWTH_MB = 10
/** A shorter run says nothing about growth. */
const JUDGED_SAMPLES_MIN = 6

export function printCheck(report: CheckReport): string {
  const { machine, domains, seconds, rows, half_load, memory } = report
  return [
    `POST /check, ${domains} warm domains; runs of ${seconds} s, medians`,
    machine,
    '',
    table(
      ['clients', 'checks/s', 'p50 ms', 'p99 ms', 'INSERT/s', 'p50', 'p99', 'bare HTTP/s', 'p99'],
      rows.map(({ clients, checks, inserts, bare_http }) => [
        String(clients),
        whole(checks.per_second),
        fine(checks.p50_ms),
        fine(checks.p99_ms),
        whole(inserts.per_second),
        fine(inserts.p50_ms),
        fine(inserts.p99_ms),
        whole(bare_http.per_second),
        fine(bare_http.p99_ms),
      ]),
    ),
    '',
    table(
      [
        'clients',
        'to INSERT',
        '(least',
        'most)',
        'to bare HTTP',
        'CPU µs per check:',
        'load',
        'service',
        'postgres',
        'per INSERT:',
        'client',
        'postgres',
        'others %',
      ],
      rows.map((row) => [
        String(row.clients),
        ...[row.to_inserts, Math.min(...row.to_inserts_each), Math.max(...row.to_inserts_each)].map(
          fine,
        ),
        fine(row.to_bare_http),
        '',
        ...[row.checks.cpu_us.client, row.checks.cpu_us.service, row.checks.cpu_us.postgres].map(
          whole,
        ),
        '',
        ...[row.inserts.cpu_us.client, row.inserts.cpu_us.postgres].map(whole),
        whole(row.taken_elsewhere * 100),
      ]),
    ),
    '',
    ...halfLoadLines(half_load),
    '',
    ...(memory ? [...memoryLines(memory), ''] : []),
    ...aimLines(report),
  ].join('\n')
}

function halfLoadLines(half: HalfLoad): string[] {
  return [
    `half load: ${whole(half.per_second)}/s of ${whole(half.asked_per_second)}/s asked, Poisson arrivals, latency from the intended moment`,
    `  p50 ${fine(half.p50_ms)} ms, p99 ${fine(half.p99_ms)} ms (worst round ${fine(half.worst_p99_ms)}), longest ${fine(half.max_ms)} ms`,
    `  event-loop delay p99 ${fine(half.event_loop_delay_p99_ms)} ms`,
  ]
}

function memoryLines({ ready_mb, samples, per_second, first_half_mb, second_half_mb }: Memory) {
  return [
    `memory: ${whole(ready_mb)} MB resident when started; then, at ${whole(per_second)} checks/s:`,
    table(
      ['requests', 'resident MB', 'heap used MB'],
      samples.map(({ requests, rss_mb, heap_mb }) => [
        String(requests),
        whole(rss_mb),
        whole(heap_mb),
      ]),
    ),
    `  growth of the median: ${whole(first_half_mb)} MB from the start to the first half, ${whole(second_half_mb)} MB to the second`,
  ]
}

function aimLines({ rows, half_load, memory }: CheckReport): string[] {
  const row = rows.find(({ clients }) => clients === AIM_CLIENTS)
  const line = (isMet: boolean, text: string) => `  ${isMet ? 'met   ' : 'MISSED'}  ${text}`
  const lines = ['aims:']
  if (row) {
    const text = `${fine(row.to_inserts)} of the bare INSERT at ${AIM_CLIENTS} clients, aim ${AIM_RATIO}`
    lines.push(line(row.to_inserts >= AIM_RATIO, text))
  }
  const { p99_ms } = half_load
  lines.push(
    line(p99_ms < AIM_P99_MS, `p99 ${fine(p99_ms)} ms at half load, aim under ${AIM_P99_MS}`),
  )
  if (memory && memory.samples.length >= JUDGED_SAMPLES_MIN) {
    const grown = memory.second_half_mb
    const text = `${whole(grown)} MB more in the second half of the memory run than in the first, aim under ${AIM_GROWTH_MB}`
    lines.push(line(grown < AIM_GROWTH_MB, text))
  }
  return lines
}

function table(head: string[], rows: string[][]): string {
  const lines = [head, ...rows]
  const widths = head.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  return lines
    .map((line) => line.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '))
    .join('\n')
}

const whole = (value: number): string => value.toFixed(0)
const fine = (value: number): string => value.toFixed(2)
