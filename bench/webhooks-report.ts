/** The numbers of `npm run bench -- webhooks`, and how they are printed. */
import { aimLine, fine, spread, table, whole } from './report.ts'
import type { Latency } from './statistics.ts'
import { type History, historyAims, historyLines } from './webhook-history-report.ts'
import type { Idle } from './webhooks-idle.ts'
import type { Isolation } from './webhooks-isolation.ts'
import type { Delivering, Throughput } from './webhooks-throughput.ts'

export type WebhooksReport = {
  machine: string
  seconds: number
  throughput: Throughput[]
  idle: Idle
  isolation: Isolation
  history: History | undefined
}

const AIM_RATIO = 0.5
const AIM_IDLE_P50_MS = 50
const AIM_ISOLATION_RATIO = 1.5

export function printWebhooks(report: WebhooksReport): string {
  const { machine, seconds, throughput, idle, isolation, history } = report
  return [
    `webhooks; runs of ${seconds} s, medians`,
    machine,
    '',
    ...throughput.flatMap((row) => [...throughputLines(row), '']),
    `idle: from commit to receipt, ${idle.events} events of each kind, one at a time`,
    latencyTable([
      ['of the service itself', idle.own],
      ['of another process', idle.of_others],
    ]),
    '',
    `isolation: ${isolation.healthy} healthy endpoints at ${whole(isolation.per_second)}/s, from commit to receipt; ${isolation.hanging} hang for ${isolation.deadline_ms} ms; runs of ${isolation.seconds} s`,
    latencyTable([
      ['healthy alone', isolation.alone],
      ['beside hanging ones', isolation.beside_hanging],
    ]),
    `  p99 ratio (least, most): ${spread(isolation.p99_ratio, isolation.p99_ratio_each).join(' ')}`,
    '',
    ...(history ? [...historyLines(history), ''] : []),
    ...aimLines(report),
  ].join('\n')
}

const THROUGHPUT_HEAD = [
  '',
  'per s',
  'CPU µs each:',
  'service',
  'postgres',
  'receiver',
  'who sends',
  'connections per 1000',
]

function throughputLines(row: Throughput): string[] {
  const cells = (name: string, { per_second, cpu_us, connections }: Delivering) => [
    name,
    whole(per_second),
    '',
    ...[cpu_us.service, cpu_us.postgres, cpu_us.receiver, cpu_us.sender, connections].map(whole),
  ]
  return [
    `deliveries to ${row.endpoints} endpoints of as many organisations; from memory ${row.in_flight} at a time`,
    table(THROUGHPUT_HEAD, [cells('whole path', row.deliveries), cells('from memory', row.memory)]),
    `  ratio (least, most): ${spread(row.ratio, row.ratio_each).join(' ')}; others had ${whole(row.taken_elsewhere * 100)} % of the processors`,
  ]
}

const latencyTable = (rows: [string, Latency][]): string =>
  table(
    ['', 'p50 ms', 'p99 ms', 'longest'],
    rows.map(([name, { p50_ms, p99_ms, max_ms }]) => [name, ...[p50_ms, p99_ms, max_ms].map(fine)]),
  )

function aimLines({ throughput, idle, isolation, history }: WebhooksReport): string[] {
  const { p50_ms } = idle.own
  const { p99_ratio } = isolation
  return [
    'aims:',
    ...throughput.map(({ endpoints, ratio }) => {
      const text = `${fine(ratio)} of the sending from memory with ${endpoints} endpoints, aim ${AIM_RATIO}`
      return aimLine(ratio >= AIM_RATIO, text)
    }),
    aimLine(
      p50_ms < AIM_IDLE_P50_MS,
      `p50 ${fine(p50_ms)} ms from commit to receipt when idle, aim under ${AIM_IDLE_P50_MS}`,
    ),
    aimLine(
      p99_ratio < AIM_ISOLATION_RATIO,
      `p99 of the healthy ones ${fine(p99_ratio)} times as long beside hanging ones, aim under ${AIM_ISOLATION_RATIO}`,
    ),
    ...(history ? historyAims(history) : []),
  ]
}
