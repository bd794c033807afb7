/** The numbers of `npm run bench -- mdm`, and how they are printed. Pure. */
import { aimLine, fine, spread, table, whole } from './report.ts'
import { median, type QueryLatency } from './statistics.ts'

export type EnrolmentRound = {
  devices: number
  /** Several for each device. */
  notifications: number
  per_second: number
  /** Processor time per notification, of the process that takes them and of PostgreSQL. */
  cpu_us: { node: number; postgres: number }
  /** Bare inserts of single rows, of several clients, in the same round. */
  inserts_per_second: number
}

export type ListRow = QueryLatency & { filter: string; total: number }

export type ReportRun = {
  rows: number
  megabytes: number
  seconds: number
  /** Resident memory of the process that writes it, before and at most. */
  before_mb: number
  peak_mb: number
}

export type MdmReport = {
  machine: string
  seconds: number
  enrolment: EnrolmentRound[]
  /** In the fleet that is read. */
  devices: number
  lists: ListRow[]
  reports: ReportRun[]
}

const AIM_NOTIFICATIONS = 500
const AIM_LIST_P95_MS = 50
/** Once everything is warm, a report of whatever length takes no more than that. */
const AIM_GROWTH_MB = 50

export function printMdm({
  machine,
  seconds,
  enrolment,
  devices,
  lists,
  reports,
}: MdmReport): string {
  return [
    `device management; bare inserts for ${seconds} s`,
    machine,
    '',
    'devices that enrol: what they told is fetched, applied and acknowledged; and bare inserts by 8 clients',
    table(
      ['devices', 'notifications', 'per second', 'inserts/s', 'ratio', 'µs node', 'µs postgres'],
      enrolment.map((round) => [
        whole(round.devices),
        whole(round.notifications),
        whole(round.per_second),
        whole(round.inserts_per_second),
        fine(ratioOf(round)),
        whole(round.cpu_us.node),
        whole(round.cpu_us.postgres),
      ]),
    ),
    `  ratio (median, least, most): ${spread(median(enrolment.map(ratioOf)), enrolment.map(ratioOf)).join(' ')}`,
    '',
    `pages of 50 among ${devices} devices through HTTP, from the first to the last`,
    table(
      ['devices', 'of them', 'p50 ms', 'p95 ms', 'longest ms'],
      lists.map(({ filter, total, p50_ms, p95_ms, max_ms }) => [
        filter,
        whole(total),
        fine(p50_ms),
        fine(p95_ms),
        fine(max_ms),
      ]),
    ),
    '',
    'the fleet inventory as CSV, and the memory of the process that writes it',
    table(
      ['rows', 'MB', 'seconds', 'before MB', 'at most MB'],
      reports.map((run) => [
        whole(run.rows),
        fine(run.megabytes),
        fine(run.seconds),
        whole(run.before_mb),
        whole(run.peak_mb),
      ]),
    ),
    '',
    ...aimLines({ enrolment, lists, reports }),
  ].join('\n')
}

const ratioOf = ({ per_second, inserts_per_second }: EnrolmentRound): number =>
  per_second / inserts_per_second

export function aimLines({
  enrolment,
  lists,
  reports,
}: Pick<MdmReport, 'enrolment' | 'lists' | 'reports'>): string[] {
  const rate = median(enrolment.map(({ per_second }) => per_second))
  const slowest = Math.max(...lists.map(({ p95_ms }) => p95_ms))
  return [
    aimLine(
      rate >= AIM_NOTIFICATIONS,
      `${whole(rate)} notifications/s while devices enrol, aim ${AIM_NOTIFICATIONS}`,
    ),
    aimLine(
      slowest < AIM_LIST_P95_MS,
      `pages of devices within ${fine(slowest)} ms (p95 of the slowest filter), aim ${AIM_LIST_P95_MS} ms`,
    ),
    ...growthAim(reports),
  ]
}

/** What it takes beyond what the first one has left; nothing to say of a single one. */
function growthAim([first, ...later]: ReportRun[]): string[] {
  if (!first || later.length === 0) return []
  const growth = Math.max(...later.map(({ peak_mb }) => peak_mb)) - first.peak_mb
  const text = `${whole(growth)} MB more for later reports than for the first, aim under ${AIM_GROWTH_MB}`
  return [aimLine(growth < AIM_GROWTH_MB, text)]
}
