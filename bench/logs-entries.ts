/**
 * Log entries as devices of shops send them, about 300 bytes of JSON each, and batches of them. Pure:
 * the same number gives the same entry.
 */
export type LogEntry = {
  device_id: string
  level: 'debug' | 'info' | 'warn' | 'error' | 'fatal'
  message: string
  timestamp: string
  category: string
  environment: string
  data: object
  tags: string[]
  trace_id: string
  error?: { type: string; code: string; stack: string }
}

export const DEVICES = 2000

const CATEGORIES = ['payment', 'printer', 'network', 'sync', 'ui', 'inventory']
/** The words of the messages, and what can be said with them. Letters of US-ASCII only. */
const PLAIN = [
  (n: number) => `request ${hex(n)} to /v2/receipts/${n} answered with 200 in ${n % 900} ms`,
  (n: number) => `receipt ${n} printed on port ${n % 8}`,
  (n: number) =>
    `heartbeat of the customer display took ${n % 70} ms, battery at ${n % 100} percent`,
  (n: number) => `synchronised ${n % 400} products with the head office, revision ${n}`,
  (n: number) => `request ${hex(n)} retried after ${n % 5000} ms, connection reset by peer`,
]
const FAILURES = [
  (n: number) => `payment ${n} declined by the terminal`,
  (n: number) => `request ${hex(n)} to /v2/receipts/${n} timed out after 5000 ms`,
  (n: number) => `printer on port ${n % 8} is out of paper`,
]
const ERRORS = ['PaymentError', 'TimeoutError', 'PrinterError']
/** Devices gather what they send for a while. */
const AGE_MAX_MS = 60_000

/** @param now when the entries are sent, about */
export function logEntry(number: number, now: Date): LogEntry {
  const share = (number * 7919) % 100
  const level = levelAt(share)
  const isFailure = level === 'error' || level === 'fatal'
  const say = isFailure ? at(FAILURES, number) : at(PLAIN, number)
  return {
    device_id: `device-${String((number * 31) % DEVICES).padStart(4, '0')}`,
    level,
    message: say(number),
    timestamp: new Date(now.getTime() - ((number * 7) % AGE_MAX_MS)).toISOString(),
    category: at(CATEGORIES, number),
    environment: number % 10 === 0 ? 'staging' : 'production',
    data: { shop: `shop-${number % 300}`, cashier: number % 12, firmware: `4.${number % 5}.1` },
    tags: ['till', `region-${number % 6}`],
    trace_id: hex(number).padStart(16, '0'),
    ...(isFailure && { error: errorAt(number) }),
  }
}

function levelAt(share: number): LogEntry['level'] {
  if (share < 20) return 'debug'
  if (share < 80) return 'info'
  if (share < 93) return 'warn'
  return share < 99 ? 'error' : 'fatal'
}

function errorAt(number: number): { type: string; code: string; stack: string } {
  const type = at(ERRORS, number)
  const frames = ['handle', 'dispatch', 'run'].map(
    (name, depth) => `    at ${name} (/app/src/${type}.js:${(number % 90) + depth}:${depth + 11})`,
  )
  return { type, code: `E${number % 40}`, stack: [`${type}: failed`, ...frames].join('\n') }
}

const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T
const hex = (number: number): string => ((number * 2654435761) % 2 ** 32).toString(16)
