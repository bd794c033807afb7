/**
 * The edge agent: accepts log entries, stores them on disk, and delivers them, regardless of how long
 * the service or the network is unavailable.
 */
import { mkdirSync } from 'node:fs'
import { type Api, createApi } from './api.ts'
import { createBuffer } from './buffer.ts'
import { entryLine } from './entry.ts'
import { lockFolder } from './lock.ts'
import { startPresence } from './presence.ts'
import { createReporter, type Report } from './reporter.ts'
import { openSegments, type Segment, type Segments } from './segments.ts'
import { createSender } from './sender.ts'
import type { EdgeAgent, EdgeAgentOptions, LogFields, LogLevel, Timers } from './types.ts'

export type * from './types.ts'

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'fatal']
const DEVICE_ID_CHARS_MAX = 512
const BUFFER_BYTES_MAX = 256 * 1024 * 1024
/** Number of batches that the buffer holds at least, so that one can be dropped without the others. */
const SEGMENTS_MIN = 8
const HEARTBEAT_SECONDS = 60
const FLUSH_MS = 1_000
const CLOSE_TIMEOUT_MS = 5_000

/** @throws Error when an option is missing, or the folder is not writable or used by another agent */
export function createEdgeAgent(options: EdgeAgentOptions): EdgeAgent {
  checkOptions(options)
  mkdirSync(options.folder, { recursive: true })
  const lock = lockFolder(options.folder)
  try {
    return startAgent(options, lock.release)
  } catch (error) {
    lock.release()
    throw error
  }
}

function startAgent(options: EdgeAgentOptions, release: () => void): EdgeAgent {
  const { device_id, now = Date.now, random = Math.random, timers = systemTimers } = options
  const report = createReporter(options.report ?? ((message) => console.warn(`Vigil: ${message}`)))
  const reportOn = (topic: string) => (message: string | undefined) => report(topic, message)
  const bufferBytesMax = options.buffer_bytes_max ?? BUFFER_BYTES_MAX
  const segments = openFolder(options, bufferBytesMax, report)
  const api = createApi({ ...options, fetch: options.fetch ?? fetch })
  const isInFlight = (segment: Segment): boolean => sender.isInFlight(segment)
  const buffer = createBuffer(segments, bufferBytesMax, isInFlight, reportOn('buffer'))
  const sender = createSender({
    segments,
    api,
    flush_ms: options.flush_ms ?? FLUSH_MS,
    dropped: buffer.dropped,
    now,
    random,
    timers,
    report: reportOn('service'),
  })
  const presence = startPresence({
    api,
    device: options.device ?? {},
    heartbeat_seconds: options.heartbeat_seconds ?? HEARTBEAT_SECONDS,
    random,
    timers,
    report: reportOn('registration'),
  })
  const limits = {
    message_chars_max: options.message_chars_max ?? 32_000,
    data_bytes_max: options.data_bytes_max ?? 32_000,
  }
  let closing: Promise<void> | undefined

  const log: EdgeAgent['log'] = (level, message, fields) => {
    if (closing) {
      buffer.dropped.closed += 1
      return
    }
    const known = LEVELS.includes(level) ? level : 'info'
    const entry = { device_id, level: known, message, fields: fields ?? {}, now_ms: now() }
    const line = entryLine(entry, limits)
    if (buffer.add(line, known)) sender.wake()
  }
  const at = (level: LogLevel) => (message: string, fields?: LogFields) =>
    log(level, message, fields)
  const close = async (timeoutMs: number): Promise<void> => {
    presence.stop()
    await endWithin(timeoutMs, sender.flush, { timers, api, stop: sender.stop })
    await segments.close()
    release()
  }
  // An earlier process may have left entries.
  if (segments.sealed().length > 0) sender.wake()
  return {
    log,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
    flush: sender.flush,
    stats: () => {
      const { entries, bytes } = segments.totals()
      const { counts } = sender
      return {
        waiting_entries: entries,
        waiting_bytes: bytes,
        acknowledged_entries: counts.acknowledged,
        refused_entries: counts.refused,
        rejected_entries: counts.rejected,
        dropped: { ...buffer.dropped },
        failed_requests: counts.failures,
        is_sending: sender.isSending(),
        is_registered: presence.isRegistered(),
        ...(counts.last_acknowledged_ms === undefined
          ? {}
          : { last_acknowledged_at: new Date(counts.last_acknowledged_ms).toISOString() }),
      }
    },
    close: (timeoutMs = CLOSE_TIMEOUT_MS) => {
      closing ??= close(timeoutMs)
      return closing
    },
  }
}

function checkOptions({ base_url, api_key, device_id, folder }: EdgeAgentOptions): void {
  if (!/^https?:\/\/\S+$/.test(base_url)) throw new Error('base_url must be an http(s) URL')
  if (!api_key) throw new Error('api_key is missing')
  if (!device_id || device_id.length > DEVICE_ID_CHARS_MAX) {
    throw new Error(`device_id must have 1 to ${DEVICE_ID_CHARS_MAX} characters`)
  }
  if (!folder) throw new Error('folder is missing')
}

const openFolder = (options: EdgeAgentOptions, bufferBytesMax: number, report: Report): Segments =>
  openSegments({
    folder: options.folder,
    entries_max: options.batch_entries_max ?? 1_000,
    bytes_max: Math.min(
      options.batch_bytes_max ?? 4_000_000,
      Math.ceil(bufferBytesMax / SEGMENTS_MIN),
    ),
    onFault: ({ message }) => report('disk', `The disk reports an error: ${message}`),
  })

/** Makes a last attempt and aborts it after the timeout. */
async function endWithin(
  timeoutMs: number,
  flush: () => Promise<boolean>,
  { timers, api, stop }: { timers: Timers; api: Api; stop: () => void },
): Promise<void> {
  const flushing = flush()
  let timer: unknown
  const timeout = new Promise<void>((done) => {
    timer = timers.set(done, timeoutMs)
  })
  await Promise.race([flushing, timeout])
  timers.clear(timer)
  stop()
  api.abort()
  await flushing
}

const systemTimers: Timers = {
  set: (run, ms) => setTimeout(run, ms).unref(),
  clear: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
}
