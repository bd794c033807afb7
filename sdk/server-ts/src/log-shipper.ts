/**
 * Collects log entries in memory and sends them in batches, in order and one batch at a time. What has not
 * been sent when the process ends is lost; `@vigil/edge-agent` stores entries on disk.
 */
import { batchesOf, byteLength, type LogEntry } from './batches.ts'
import type { Vigil } from './client.ts'
import { VigilError } from './errors.ts'
import { BATCHES } from './generated/operations.ts'
import { type LogFields, type LogLevel, logEntry } from './log-entry.ts'

export type LogShipperOptions = {
  vigil: Pick<Vigil, 'sendEdgeLogs'>
  /** The device that the entries belong to, such as the host name. */
  device_id: string
  /** Time for which entries are collected before they are sent. */
  flush_ms?: number | undefined
  /** Greatest number of entries that wait; newer ones are dropped and counted. */
  entries_max?: number | undefined
  /** Greatest size of the entries that wait, as JSON. */
  bytes_max?: number | undefined
  /** Pause after a batch that could not be sent, at first and at most. */
  pause_ms?: number | undefined
  pause_max_ms?: number | undefined
  /** Called with a message for the operator when sending fails or an entry is lost. */
  report?: ((message: string) => void) | undefined
}

export type LogShipper = {
  /** Never throws, and never waits. */
  log(level: LogLevel, message: unknown, fields?: LogFields): void
  /** Sends what waits. @returns whether everything has arrived */
  flush(): Promise<boolean>
  /** Sends what waits, for at most this time, and stops. @returns whether everything has arrived */
  close(timeout_ms?: number): Promise<boolean>
  stats(): LogShipperStats
}

export type LogShipperStats = { waiting: number; sent: number; dropped: number; rejected: number }

const BATCH = { items_max: BATCHES.sendEdgeLogs.max_items, bytes_max: 1_000_000 }

type Waiting = { entry: LogEntry; bytes: number }

export function createLogShipper({
  vigil,
  device_id,
  flush_ms = 1000,
  entries_max = 50_000,
  bytes_max = 32 * 1024 * 1024,
  pause_ms = 1000,
  pause_max_ms = 60_000,
  report = (message) => console.warn(message),
}: LogShipperOptions): LogShipper {
  const stats = { sent: 0, dropped: 0, rejected: 0 }
  let waiting: Waiting[] = []
  let waiting_bytes = 0
  /** The batch that is sent or has failed: it is sent again unchanged, so that it is stored once. */
  let open: LogEntry[] | undefined
  let sequence = 0
  let pause = 0
  let timer: NodeJS.Timeout | undefined
  let sending = Promise.resolve(true)
  const stop = new AbortController()

  const schedule = () => {
    if (timer !== undefined || stop.signal.aborted) return
    timer = setTimeout(() => void flush(), Math.max(flush_ms, pause))
    // Logs must not keep a process running that has nothing else to do.
    timer.unref()
  }

  const remove = (count: number) => {
    for (const { bytes } of waiting.slice(0, count)) waiting_bytes -= bytes
    waiting = waiting.slice(count)
  }

  /** @returns whether the batch is settled */
  const sendBatch = async (logs: LogEntry[]): Promise<boolean> => {
    try {
      const receipt = await vigil.sendEdgeLogs({ logs }, { signal: stop.signal })
      stats.sent += receipt.processed
      stats.rejected += receipt.received - receipt.processed
      const [first] = receipt.errors ?? []
      if (first) report(`Log entries were rejected: ${first.field} ${first.reason}`)
      pause = 0
      return true
    } catch (error) {
      if (error instanceof VigilError && error.status === 400) {
        stats.rejected += logs.length
        report(`${logs.length} log entries were rejected: ${error.message}`)
        return true
      }
      pause = Math.min(pause === 0 ? pause_ms : pause * 2, pause_max_ms)
      report(`Log entries could not be sent and wait: ${(error as Error).message}`)
      return false
    }
  }

  const sendAll = async (): Promise<boolean> => {
    while (waiting.length > 0) {
      open ??= await firstBatch(waiting)
      if (!(await sendBatch(open))) return false
      remove(open.length)
      open = undefined
    }
    return true
  }

  const flush = async (): Promise<boolean> => {
    clearTimeout(timer)
    timer = undefined
    sending = sending.then(sendAll)
    const isSent = await sending
    if (waiting.length > 0) schedule()
    return isSent
  }

  return {
    log: (level, message, fields = {}) => {
      sequence += 1
      const time = { now_ms: Date.now(), sequence }
      const entry = logEntry({ device_id, level, message, fields }, time)
      const bytes = byteLength(JSON.stringify(entry))
      if (waiting.length >= entries_max || waiting_bytes + bytes > bytes_max) {
        if (stats.dropped === 0) report('Log entries are dropped, because too many wait')
        stats.dropped += 1
        return
      }
      waiting.push({ entry, bytes })
      waiting_bytes += bytes
      schedule()
    },
    flush,
    close: async (timeout_ms = 5000) => {
      const deadline = setTimeout(() => stop.abort(new Error('the shipper was closed')), timeout_ms)
      try {
        return (await flush()) && waiting.length === 0
      } finally {
        clearTimeout(deadline)
        stop.abort(new Error('the shipper was closed'))
        clearTimeout(timer)
      }
    },
    stats: () => ({ waiting: waiting.length, ...stats }),
  }
}

async function firstBatch(waiting: readonly Waiting[]): Promise<LogEntry[]> {
  const entries = waiting.slice(0, BATCH.items_max).map(({ entry }) => entry)
  for await (const { items } of batchesOf(entries, BATCH)) return items
  return []
}
