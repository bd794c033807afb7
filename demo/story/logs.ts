/**
 * What devices log: much that is ordinary, and four troubles. Printers that fail after an update of
 * their firmware, paper that jams, a network that loses packets, and a terminal whose certificate ends.
 */
import type { Random } from '../../src/platform/random.ts'
import type { Span } from './event.ts'
import { BAD_NETWORK, type EdgeDevice, FIRMWARE, FLEET, hasUpdate, JAMMING } from './fleet.ts'
import { ordinaryLine, startLine } from './log-lines.ts'

export type LogEntry = {
  device_id: string
  level: 'debug' | 'info' | 'warn' | 'error' | 'fatal'
  message: string
  timestamp: string
  category: string
  environment: string
  error?: { type: string; code?: string; stack?: string }
  data?: Record<string, unknown>
  tags?: string[]
  trace_id?: string
}

const LOGS_PER_DAY = 4_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** By the hour of the day: shops sleep, devices only doze. */
const QUIET_UNTIL = 6
const QUIET_FROM = 22
const QUIET_TRAFFIC = 0.25
const TRAFFIC = 1.35

/** Of each device so many a day. */
const JAMS_PER_DAY = 14
const TIMEOUTS_PER_DAY = 4
const PRINT_FAULTS_PER_DAY = 46

/** Entries of the time from `from` on and before `until`, by time. `story` is the whole month. */
export function logsOf(
  random: Random,
  { from, until, story, scale }: { from: number; until: number; story: Span; scale: number },
): LogEntry[] {
  const days = (until - from) / DAY_MS
  const passed = (at: number) => (at - story.start) / (story.end - story.start)
  const hour = new Date(from).getUTCHours()
  const traffic = hour < QUIET_UNTIL || hour >= QUIET_FROM ? QUIET_TRAFFIC : TRAFFIC
  const mean = (LOGS_PER_DAY / FLEET.length) * days * scale * traffic
  const entries = FLEET.flatMap((device) => {
    const own: LogEntry[] = []
    const add = (perDay: number, line: (at: number) => LogEntry) => {
      for (let left = random.poisson(perDay); left > 0; left -= 1) {
        own.push(line(Math.round(random.between(from, until))))
      }
    }
    add(mean, (at) => ordinaryLine(random, device, at))
    const share = days * traffic * Math.max(scale, LEAST_TROUBLE)
    if (isJamming(device)) add(JAMS_PER_DAY * share, (at) => jam(random, device, at))
    if (device.shop_id === BAD_NETWORK)
      add(TIMEOUTS_PER_DAY * share, (at) => timeout(random, device, at))
    if (hasUpdate(device)) {
      const updated = story.start + FIRMWARE.at_share * (story.end - story.start)
      if (from <= updated && updated < until) own.push(...startLine(device, updated))
      add(PRINT_FAULTS_PER_DAY * share, (at) => printFault(random, device, at))
    }
    const isHeard = ({ timestamp, error }: LogEntry) => {
      const at = passed(Date.parse(timestamp))
      const isEarly = error?.code === FAULT_CODE && at < FIRMWARE.at_share
      return at >= 0 && at < (device.silent_from ?? Number.POSITIVE_INFINITY) && !isEarly
    }
    return own.filter(isHeard)
  })
  return entries.toSorted((a, b) =>
    a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0,
  )
}

/** A small story has the same troubles, or there would be nothing to see. */
const LEAST_TROUBLE = 0.3
const FAULT_CODE = 'HEAD_DATA_7F'

const isJamming = ({ id }: EdgeDevice): boolean => (JAMMING as readonly string[]).includes(id)

function printFault(random: Random, device: EdgeDevice, at: number): LogEntry {
  const job = random.integer(10_000, 99_999)
  return {
    ...base(device, at),
    level: random.chance(0.06) ? 'fatal' : 'error',
    category: 'printing',
    message: `Receipt ${job} not printed: head refused line data after ${random.integer(2, 9)} lines`,
    error: {
      type: 'PrintHeadError',
      code: FAULT_CODE,
      stack: [
        'PrintHeadError: head refused line data',
        '    at ThermalHead.writeLine (firmware/head/thermal.js:218:13)',
        '    at ReceiptJob.render (firmware/jobs/receipt.js:91:22)',
        '    at JobQueue.next (firmware/jobs/queue.js:44:9)',
      ].join('\n'),
    },
    data: { firmware: FIRMWARE.version, job_id: job, head_temperature_c: random.integer(41, 67) },
    tags: ['printer', `fw-${FIRMWARE.version}`],
  }
}

function jam(random: Random, device: EdgeDevice, at: number): LogEntry {
  return {
    ...base(device, at),
    level: 'error',
    category: 'printing',
    message: `Paper jam in tray ${random.integer(1, 2)}, ${random.integer(3, 40)} jobs are waiting`,
    error: { type: 'PaperJam', code: 'E-JAM' },
    data: { firmware: FIRMWARE.before, paper_left_percent: random.integer(4, 80) },
    tags: ['printer'],
  }
}

function timeout(random: Random, device: EdgeDevice, at: number): LogEntry {
  const isError = random.chance(0.4)
  return {
    ...base(device, at),
    level: isError ? 'error' : 'warn',
    category: 'network',
    message: isError
      ? `Request to the payment gateway timed out after ${random.integer(8_000, 12_000)} ms`
      : `Packet loss of ${random.integer(3, 18)} % on the link to the gateway`,
    ...(isError && { error: { type: 'GatewayTimeout', code: 'ETIMEDOUT' } }),
    data: { gateway: '192.0.2.14:443', attempt: random.integer(1, 3) },
    tags: ['network'],
  }
}

const base = ({ id }: EdgeDevice, at: number) => ({
  device_id: id,
  timestamp: new Date(at).toISOString(),
  environment: 'production',
})
