/** The numbers of `npm run bench -- orders`, and how they are printed. */
import type { HalfLoad, Memory } from './endurance.ts'
import { costAim, type GrowthRow, growthLines } from './growth-report.ts'
import { CUSTOMERS, type OrderShape, TERMINALS } from './order-requests.ts'
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

export type OrdersRow = {
  clients: number
  /** Its client is the process that scores. */
  core: Subject
  http: Subject
  inserts: Subject
  /** Medians of the ratios of the rounds. */
  core_to_inserts: number
  core_to_inserts_each: number[]
  http_to_inserts: number
  http_to_inserts_each: number[]
  /** Share of the machine's processors that other programs had meanwhile, 0 to 1. */
  taken_elsewhere: number
}

export type OrdersReport = {
  machine: string
  shape: OrderShape
  seconds: number
  rows: OrdersRow[]
  /** At half of what so many clients got through HTTP. */
  half_loads: (HalfLoad & { clients: number })[]
  memory: Memory | undefined
  /** Empty when it was left out. */
  growth: GrowthRow[]
  /** Of all orders but those of the half loads, the memory run and the growth run, 0 to 1. */
  flagged_share: number
}

const AIM_CLIENTS = 32
const AIM_CORE_RATIO = 1
const AIM_HTTP_RATIO = 0.6
const AIM_P99_MS = 25

const SHAPES: Record<OrderShape, string> = {
  online: `online orders of ${CUSTOMERS} customers with 2 items`,
  in_store: `anonymous orders at ${TERMINALS} terminals without items`,
}

const COST_HEAD = [
  'clients',
  'core to INSERT',
  '(least',
  'most)',
  'HTTP to INSERT',
  '(least',
  'most)',
  'CPU µs per core:',
  'node',
  'postgres',
  'per HTTP:',
  'load',
  'service',
  'postgres',
  'per INSERT:',
  'client',
  'postgres',
  'others %',
]

export function printOrders(report: OrdersReport): string {
  const { machine, shape, seconds, rows, half_loads, memory, growth } = report
  return [
    `orders, ${SHAPES[shape]}; runs of ${seconds} s, medians`,
    `${machine}; ${fine(report.flagged_share * 100)} % of the orders were flagged`,
    '',
    table(
      ['clients', 'core/s', 'p50 ms', 'p99', 'HTTP/s', 'p50', 'p99', 'INSERT/s', 'p50', 'p99'],
      rows.map(({ clients, core, http, inserts }) => [
        String(clients),
        ...[core, http, inserts].flatMap(({ per_second, p50_ms, p99_ms }) => [
          whole(per_second),
          fine(p50_ms),
          fine(p99_ms),
        ]),
      ]),
    ),
    '',
    table(COST_HEAD, rows.map(costCells)),
    '',
    ...half_loads.flatMap(({ clients, ...half }) => [
      `${clients} clients, ${halfLoadLines(half).join('\n')}`,
      '',
    ]),
    ...(memory ? [...memoryLines(memory, 'orders'), ''] : []),
    ...(growth.length > 0 ? [...growthLines(growth), ''] : []),
    ...aimLines(report),
  ].join('\n')
}

function costCells(row: OrdersRow): string[] {
  const { core, http, inserts } = row
  return [
    String(row.clients),
    ...spread(row.core_to_inserts, row.core_to_inserts_each),
    ...spread(row.http_to_inserts, row.http_to_inserts_each),
    '',
    ...[core.cpu_us.client, core.cpu_us.postgres].map(whole),
    '',
    ...[http.cpu_us.client, http.cpu_us.service, http.cpu_us.postgres].map(whole),
    '',
    ...[inserts.cpu_us.client, inserts.cpu_us.postgres].map(whole),
    whole(row.taken_elsewhere * 100),
  ]
}

function aimLines({ rows, half_loads, memory, growth }: OrdersReport): string[] {
  const lines = ['aims:']
  const row = rows.find(({ clients }) => clients === AIM_CLIENTS)
  if (row) {
    const add = (ratio: number, aim: number, what: string) =>
      lines.push(
        aimLine(
          ratio >= aim,
          `${fine(ratio)} of the bare INSERT at ${AIM_CLIENTS} ${what}, aim ${aim}`,
        ),
      )
    add(row.core_to_inserts, AIM_CORE_RATIO, 'callers without HTTP')
    add(row.http_to_inserts, AIM_HTTP_RATIO, 'clients through HTTP')
  }
  for (const { clients, p99_ms } of half_loads) {
    const text = `p99 ${fine(p99_ms)} ms at half of the load of ${clients} clients, aim under ${AIM_P99_MS}`
    lines.push(aimLine(p99_ms < AIM_P99_MS, text))
  }
  if (memory) lines.push(...growthAim(memory))
  lines.push(...costAim(growth))
  return lines
}
