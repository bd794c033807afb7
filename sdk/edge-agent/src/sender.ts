/**
 * Sends batches to the service, the oldest first and one at a time. A batch is removed from the disk
 * when the service has accepted or rejected it; any other outcome is retried.
 */
import type { Api, Outcome } from './api.ts'
import { BLOCKED_MS, backoffMs, createPause } from './backoff.ts'
import type { Dropped } from './buffer.ts'
import type { Segment, Segments } from './segments.ts'
import type { Timers } from './types.ts'

export type SenderOptions = {
  segments: Segments
  api: Api
  flush_ms: number
  dropped: Dropped
  now: () => number
  random: () => number
  timers: Timers
  report: (message: string | undefined) => void
}

export type Sender = {
  /** Schedules sending. */
  wake: () => void
  /** Sends pending batches and returns whether none is left. */
  flush: () => Promise<boolean>
  isInFlight: (segment: Segment) => boolean
  isSending: () => boolean
  stop: () => void
  counts: SenderCounts
}

export type SenderCounts = {
  acknowledged: number
  refused: number
  rejected: number
  failures: number
  last_acknowledged_ms: number | undefined
}

export function createSender(options: SenderOptions): Sender {
  const { segments, flush_ms, random, timers, report } = options
  const counts: SenderCounts = {
    acknowledged: 0,
    refused: 0,
    rejected: 0,
    failures: 0,
    last_acknowledged_ms: undefined,
  }
  let timer: unknown
  let running: Promise<void> | undefined
  let inFlight: Segment | undefined
  let failures = 0
  let isStopped = false
  const pause = createPause(timers, () => void run())

  const schedule = (): void => {
    if (isStopped || timer !== undefined || pause.isActive()) return
    timer = timers.set(() => {
      timer = undefined
      void run()
    }, flush_ms)
  }
  const fail = (requestedMs: number | undefined, defaultMs?: number): void => {
    failures += 1
    counts.failures += 1
    const pauseMs = requestedMs ?? defaultMs ?? backoffMs(failures, random())
    pause.start(pauseMs, requestedMs !== undefined)
  }
  const sendAll = async (): Promise<void> => {
    // While the service is unavailable, sealing at each attempt would create many small batches.
    if (failures === 0 || segments.sealed().length === 0) segments.seal()
    for (let next = segments.sealed()[0]; next; next = segments.sealed()[0]) {
      if (isStopped) return
      inFlight = next
      const outcome = await sendOne(options, counts, next)
      if (outcome?.kind === 'blocked') return fail(undefined, BLOCKED_MS)
      if (outcome?.kind === 'later') return fail(outcome.wait_ms)
      failures = 0
    }
  }
  const run = async (): Promise<void> => {
    if (running || isStopped || pause.isActive()) return running
    running = sendAll().catch((error: unknown) => {
      report(`Log entries cannot be sent: ${String(error)}`)
      fail(undefined)
    })
    await running
    running = undefined
    inFlight = undefined
    if (segments.sealed().length > 0 || segments.isOpen()) schedule()
  }
  return {
    wake: () => {
      if (running === undefined) schedule()
    },
    flush: async () => {
      await running
      if (pause.isRequested()) return false
      pause.end()
      segments.seal()
      await run()
      return segments.sealed().length === 0
    },
    isInFlight: (segment) => segment === inFlight,
    isSending: () => running !== undefined,
    stop: () => {
      isStopped = true
      timers.clear(timer)
      pause.end()
    },
    counts,
  }
}

/** Sends a batch and applies the outcome to it. @returns undefined when the batch has no entries */
async function sendOne(
  { segments, api, dropped, now, report }: SenderOptions,
  counts: SenderCounts,
  segment: Segment,
): Promise<Outcome | undefined> {
  await segment.synced
  const { lines, unreadable } = readOrReject(segments, segment, report)
  const outcome = lines.length > 0 ? await api.sendLogs(bodyOf(segment, lines)) : undefined
  switch (outcome?.kind) {
    case undefined:
      break
    case 'accepted':
      counts.acknowledged += lines.length
      counts.refused += Math.max(0, outcome.received - outcome.processed)
      counts.last_acknowledged_ms = now()
      report(undefined)
      break
    case 'rejected':
      counts.rejected += lines.length
      segments.reject(segment)
      report(`A batch was refused and moved to the folder rejected: ${outcome.reason}`)
      break
    case 'blocked':
      report(`The service refuses log entries; they are stored: ${outcome.reason}`)
      return outcome
    case 'later':
      report(`The service is unavailable; log entries are stored: ${outcome.reason}`)
      return outcome
  }
  dropped.unreadable += unreadable
  segments.remove(segment)
  return outcome
}

/** A batch that cannot be read must not block later ones. */
function readOrReject(
  segments: Segments,
  segment: Segment,
  report: SenderOptions['report'],
): ReturnType<Segments['read']> {
  try {
    return segments.read(segment)
  } catch (error) {
    report(`Stored log entries cannot be read: ${String(error)}`)
    segments.reject(segment)
    return { lines: [], unreadable: segment.entries }
  }
}

/** The name distinguishes batches with equal entries, which the service would take for a retry. */
const bodyOf = ({ name }: Segment, lines: readonly string[]): string =>
  `{"batch":"${name}","logs":[${lines.join(',')}]}`
