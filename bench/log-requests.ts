/**
 * Batches of log entries as the devices of shops send them, about 300 bytes of JSON for each entry. Every body
 * is different, because the service recognizes repeated ones. Only its first entry is made for it and the others
 * come from prepared texts, so that the load generator takes little processor time from what it measures.
 */
import type { LoadRequest } from './load-request.ts'

type Level = 'debug' | 'info' | 'warn' | 'error' | 'fatal'

export const BATCH_ENTRIES = 500
export const DEVICES = 2000
/** One block of the analytics engine contains no prepared entry twice. */
const PREPARED_BATCHES = 100

const CATEGORIES = ['payment', 'printer', 'network', 'sync', 'ui', 'inventory']
/** Messages in US-ASCII, whose characters are bytes. */
const PLAIN = [
  (n: number) => `request ${hex(n)} to /v2/receipts/${n} answered with 200 in ${n % 900} ms`,
  (n: number) => `receipt ${n} printed on port ${n % 8}`,
  (n: number) =>
    `heartbeat of the customer display took ${n % 70} ms, battery at ${n % 100} percent`,
  (n: number) => `synchronized ${n % 400} products with the head office, revision ${n}`,
  (n: number) => `request ${hex(n)} retried after ${n % 5000} ms, connection reset by peer`,
]
const FAILURES = [
  (n: number) => `payment ${n} declined by the terminal`,
  (n: number) => `request ${hex(n)} to /v2/receipts/${n} timed out after 5000 ms`,
  (n: number) => `printer on port ${n % 8} is out of paper`,
]
const ERRORS = ['PaymentError', 'TimeoutError', 'PrinterError']
/** Devices collect entries for a while before they send them. */
const AGE_MAX_MS = 60_000

/** @param now time at which the load generator was started; distinguishes its batches from those of others */
export function createLogBatches(now: Date): (number: number) => LoadRequest {
  const rests = Array.from({ length: PREPARED_BATCHES }, (_, batch) => prepareRest(batch, now))
  const started = now.getTime().toString(16)
  return (number) => {
    const first = { ...logEntry(number, now), trace_id: `${started}-${number.toString(16)}` }
    return {
      path: '/v1/edge/logs',
      body: `{"logs":[${JSON.stringify(first)}${rests[number % PREPARED_BATCHES]}`,
      echo: `"received":${BATCH_ENTRIES},"processed":${BATCH_ENTRIES}`,
      organization: 0,
    }
  }
}

const TILL_ENTRIES = 20

/** Batches of single tills, which are small. */
export function createTillBatches(now: Date): (number: number) => LoadRequest {
  return (number) => {
    const entries = Array.from({ length: TILL_ENTRIES }, (_, index) =>
      logEntry(number * TILL_ENTRIES + index, now),
    )
    return {
      path: '/v1/edge/logs',
      body: JSON.stringify({ logs: entries }),
      echo: `"received":${TILL_ENTRIES},"processed":${TILL_ENTRIES}`,
      organization: 0,
    }
  }
}

function prepareRest(batch: number, now: Date): string {
  let text = ''
  for (let index = 1; index < BATCH_ENTRIES; index += 1) {
    text += `,${JSON.stringify(logEntry(batch * BATCH_ENTRIES + index, now))}`
  }
  return `${text}]}`
}

/** @returns the same entry for the same number, with a time shortly before `now` */
export function logEntry(number: number, now: Date) {
  const level = levelOf((number * 7919) % 100)
  const isFailure = level === 'error' || level === 'fatal'
  const message = isFailure ? pick(FAILURES, number) : pick(PLAIN, number)
  return {
    device_id: `device-${String((number * 31) % DEVICES).padStart(4, '0')}`,
    level,
    message: message(number),
    timestamp: new Date(now.getTime() - ((number * 7) % AGE_MAX_MS)).toISOString(),
    category: pick(CATEGORIES, number),
    environment: number % 10 === 0 ? 'staging' : 'production',
    data: { shop: `shop-${number % 300}`, cashier: number % 12, firmware: `4.${number % 5}.1` },
    tags: ['till', `region-${number % 6}`],
    trace_id: hex(number).padStart(16, '0'),
    ...(isFailure && { error: errorOf(number) }),
  }
}

function levelOf(percentile: number): Level {
  if (percentile < 20) return 'debug'
  if (percentile < 80) return 'info'
  if (percentile < 93) return 'warn'
  return percentile < 99 ? 'error' : 'fatal'
}

function errorOf(number: number) {
  const type = pick(ERRORS, number)
  const frames = ['handle', 'dispatch', 'run'].map(
    (name, depth) => `    at ${name} (/app/src/${type}.js:${(number % 90) + depth}:${depth + 11})`,
  )
  return { type, code: `E${number % 40}`, stack: [`${type}: failed`, ...frames].join('\n') }
}

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T
const hex = (number: number): string => ((number * 2654435761) % 2 ** 32).toString(16)
