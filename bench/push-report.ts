/** The numbers of `npm run bench -- push`, and how they are printed. Pure. */
import type { Broadcasts, Sending } from './push-broadcast.ts'
import type { Fairness } from './push-fairness.ts'
import { aimLine, fine, spread, table, whole } from './report.ts'
import { type Latency, median } from './statistics.ts'

export type PushReport = { machine: string; broadcasts: Broadcasts; fairness: Fairness }

const AIM_RATIO = 0.7
const AIM_FAIRNESS_MS = 2000
/** From the first broadcast to the last. */
const AIM_GROWTH_MB = 50

export function printPush({ machine, broadcasts, fairness }: PushReport): string {
  const { recipients, connections, in_flight, ratio, ratio_each } = broadcasts
  return [
    `push; broadcasts to ${recipients} recipients, medians`,
    machine,
    '',
    `from the request to the last acceptance; from memory over ${connections} connections, by the sender of the service ${in_flight} at a time`,
    table(SENDING_HEAD, [
      cells('whole path', broadcasts.path),
      cells('sender from memory', broadcasts.sender),
      cells('bare client from memory', broadcasts.raw),
    ]),
    `  whole path to bare client (least, most): ${spread(ratio, ratio_each).join(' ')}; sender to bare client ${fine(broadcasts.sender_ratio)}`,
    `  ${whole(broadcasts.expanded_per_second)} recipients made per second meanwhile; all written ${whole(broadcasts.settled_ms)} ms after the last acceptance`,
    `  event-loop delay of the service: p99 ${fine(broadcasts.loop.p99_ms)} ms in the worst second, longest ${fine(broadcasts.loop.max_ms)} ms; others had ${whole(broadcasts.taken_elsewhere * 100)} % of the processors`,
    '',
    ...memoryLines(broadcasts),
    '',
    `single notifications of another application, from the request to the phone, ${fairness.probes} of each`,
    table(
      ['', 'p50 ms', 'longest'],
      [
        latencyCells('alone', fairness.alone),
        latencyCells('beside a broadcast', fairness.beside_broadcast),
      ],
    ),
    `  ${fairness.left} of the broadcast were left when the last had arrived`,
    '',
    ...aimLines({ broadcasts, fairness }),
  ].join('\n')
}

const SENDING_HEAD = ['', 'per s', 'CPU µs each:', 'service', 'postgres', 'provider', 'who sends']

const cells = (name: string, { per_second, cpu_us }: Sending): string[] => [
  name,
  whole(per_second),
  '',
  ...[cpu_us.service, cpu_us.postgres, cpu_us.provider, cpu_us.sender].map(whole),
]

const latencyCells = (name: string, { p50_ms, max_ms }: Latency): string[] => [
  name,
  fine(p50_ms),
  fine(max_ms),
]

const memoryLines = ({ memory }: Broadcasts): string[] => [
  `memory: ${whole(memory.ready_mb)} MB resident when started; then, second by second:`,
  table(
    ['broadcast', 'least MB', 'median', 'most'],
    memory.rounds.map((samples, round) => [
      whole(round + 1),
      ...[Math.min(...samples), median(samples), Math.max(...samples)].map(whole),
    ]),
  ),
]

export function aimLines({
  broadcasts: { ratio, memory },
  fairness: { beside_broadcast, left },
}: Pick<PushReport, 'broadcasts' | 'fairness'>): string[] {
  const { max_ms } = beside_broadcast
  const meanwhile = left > 0 ? '' : ', the last of them after its end'
  return [
    'aims:',
    aimLine(ratio >= AIM_RATIO, `${fine(ratio)} of the bare client from memory, aim ${AIM_RATIO}`),
    ...growthAim(memory.rounds),
    aimLine(
      max_ms < AIM_FAIRNESS_MS && left > 0,
      `single notifications within ${whole(max_ms)} ms beside a broadcast${meanwhile}, aim under ${AIM_FAIRNESS_MS}`,
    ),
  ]
}

/** Nothing to say of a single broadcast. */
function growthAim([first, ...later]: number[][]): string[] {
  const last = later.at(-1)
  if (!first || !last) return []
  const growth = median(last) - median(first)
  const text = `${whole(growth)} MB more in the last broadcast than in the first, aim under ${AIM_GROWTH_MB}`
  return [aimLine(growth < AIM_GROWTH_MB, text)]
}
