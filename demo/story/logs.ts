/**
 * Logs of the devices: many ordinary entries, and four kinds of trouble. Printers that fail after a
 * firmware update, paper jams, a network that loses packets, and a terminal whose certificate expires.
 */
import type { Random } from '../../src/platform/random.ts'
import { DAY_MS, isWithin, type Span } from '../../world/time.ts'
import { BAD_NETWORK, type EdgeDevice, FIRMWARE, FLEET, hasUpdate, JAMMING } from './fleet.ts'
import { entryOf, type LogEntry, ordinaryLine, updateLines } from './log-lines.ts'
import { traceOf, withEarlierSteps } from './print-trace.ts'

const LOGS_PER_DAY = 4_000
/** By hour in UTC: outside of these hours stores are closed and devices log little. */
const BUSY_HOURS: Span = { start: 6, end: 22 }
const BUSY_TRAFFIC = 1.35
const QUIET_TRAFFIC = 0.25

/** Per device and day */
const JAMS_PER_DAY = 14
const TIMEOUTS_PER_DAY = 4
const PRINT_FAULTS_PER_DAY = 46
/** A small story has this share of the trouble at least, so that there is something to see. */
const TROUBLE_MIN = 0.45
const FAULT_CODE = 'HEAD_DATA_7F'

export type LogOptions = {
  /** The entries of this span are returned, by time. */
  span: Span
  /** The whole month. */
  story: Span
  scale: number
}

export function logsOf(random: Random, { span, story, scale }: LogOptions): LogEntry[] {
  const { start, end } = span
  const days = (end - start) / DAY_MS
  const isBusy = isWithin(BUSY_HOURS, new Date(start).getUTCHours())
  const traffic = days * (isBusy ? BUSY_TRAFFIC : QUIET_TRAFFIC)
  const ordinary = (LOGS_PER_DAY / FLEET.length) * scale * traffic
  const trouble = Math.max(scale, TROUBLE_MIN) * traffic
  const updated = story.start + FIRMWARE.at_share * (story.end - story.start)
  const entries = FLEET.flatMap((device) => {
    const own: LogEntry[] = []
    const add = (
      mean: number,
      create: (random: Random, device: EdgeDevice, at: number) => LogEntry,
    ) => {
      for (let left = random.poisson(mean); left > 0; left -= 1) {
        own.push(create(random, device, Math.round(random.between(start, end))))
      }
    }
    add(ordinary, ordinaryLine)
    if (JAMMING.includes(device.id)) add(JAMS_PER_DAY * trouble, jam)
    if (device.store_id === BAD_NETWORK) add(TIMEOUTS_PER_DAY * trouble, timeout)
    if (hasUpdate(device)) {
      if (isWithin(span, updated)) own.push(...updateLines(device, updated))
      add(PRINT_FAULTS_PER_DAY * trouble, printFault)
    }
    const wanted = own.filter(({ timestamp, error }) => {
      const at = Date.parse(timestamp)
      const passed = (at - story.start) / (story.end - story.start)
      const isEarly = error?.code === FAULT_CODE && at < updated
      return passed >= 0 && passed < (device.silent_from ?? Infinity) && !isEarly
    })
    return wanted.flatMap(withEarlierSteps)
  })
  return entries.toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp))
}

function printFault(random: Random, device: EdgeDevice, at: number): LogEntry {
  const job = random.integer(10_000, 99_999)
  return {
    ...entryOf(device, at),
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
    ...traceOf(random),
  }
}

const jam = (random: Random, device: EdgeDevice, at: number): LogEntry => ({
  ...entryOf(device, at),
  level: 'error',
  category: 'printing',
  message: `Paper jam in tray ${random.integer(1, 2)}, ${random.integer(3, 40)} jobs are waiting`,
  error: { type: 'PaperJam', code: 'E-JAM' },
  data: { firmware: FIRMWARE.before, paper_left_percent: random.integer(4, 80) },
  tags: ['printer'],
})

function timeout(random: Random, device: EdgeDevice, at: number): LogEntry {
  const entry = { ...entryOf(device, at), category: 'network', tags: ['network'] }
  const data = { gateway: '192.0.2.14:443', attempt: random.integer(1, 3) }
  if (random.chance(0.6)) {
    const message = `Packet loss of ${random.integer(3, 18)} % on the link to the gateway`
    return { ...entry, level: 'warn', message, data }
  }
  const message = `Request to the payment gateway timed out after ${random.integer(8_000, 12_000)} ms`
  const error = { type: 'GatewayTimeout', code: 'ETIMEDOUT' }
  return { ...entry, level: 'error', message, error, data }
}
