/** The numbers of `npm run bench -- check`, and how they are printed. */
import type { HalfLoad, Memory } from './endurance.ts'
import {
  aimLine,
  fine,
  growthAim,
  halfLoadLines,
  memoryLines,
  spread,
  table,
  whole,
} from './report.ts'
import type { Subject } from './rounds.ts'

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
        ...spread(row.to_inserts, row.to_inserts_each),
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
    ...(memory ? [...memoryLines(memory, 'checks'), ''] : []),
    ...aimLines(report),
  ].join('\n')
}

function aimLines({ rows, half_load, memory }: CheckReport): string[] {
  const row = rows.find(({ clients }) => clients === AIM_CLIENTS)
  const lines = ['aims:']
  if (row) {
    const text = `${fine(row.to_inserts)} of the bare INSERT at ${AIM_CLIENTS} clients, aim ${AIM_RATIO}`
    lines.push(aimLine(row.to_inserts >= AIM_RATIO, text))
  }
  const { p99_ms } = half_load
  lines.push(
    aimLine(p99_ms < AIM_P99_MS, `p99 ${fine(p99_ms)} ms at half load, aim under ${AIM_P99_MS}`),
  )
  if (memory) lines.push(...growthAim(memory))
  return lines
}
