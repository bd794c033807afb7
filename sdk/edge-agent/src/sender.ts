/**
 * Takes batches to the service, the oldest first and one at a time. One leaves the disk when the
 * service has taken it, or said that it never will; everything else is tried again.
 */
import type { Api, Outcome } from './api.ts'
import type { Dropped } from './buffer.ts'
import { BLOCKED_MS, backoffMs, createPause } from './pauses.ts'
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
  say: (message: string | undefined) => void
}

export type Sender = {
  /** Sees to it that what waits will be sent. */
  wake: () => void
  /** Whether all that waited has arrived. */
  flush: () => Promise<boolean>
  isUnderWay: (segment: Segment) => boolean
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
  const { segments, flush_ms, random, timers, say } = options
  const counts: SenderCounts = {
    acknowledged: 0,
    refused: 0,
    rejected: 0,
    failures: 0,
    last_acknowledged_ms: undefined,
  }
  let timer: unknown
  let running: Promise<void> | undefined
  let underWay: Segment | undefined
  /** In a row. */
  let failures = 0
  let isStopped = false
  const pause = createPause(timers, () => void run())

  const schedule = (): void => {
    if (isStopped || timer !== undefined || pause.isOn()) return
    timer = timers.set(() => {
      timer = undefined
      void run()
    }, flush_ms)
  }
  const fail = (told: number | undefined, otherwise?: number): void => {
    failures += 1
    counts.failures += 1
    pause.begin(told ?? otherwise ?? backoffMs(failures, random()), told !== undefined)
  }
  const sendAll = async (): Promise<void> => {
    // While the service is away, each attempt would make another small batch.
    if (failures === 0 || segments.sealed().length === 0) segments.seal()
    for (let next = segments.sealed()[0]; next; next = segments.sealed()[0]) {
      if (isStopped) return
      underWay = next
      const outcome = await sendOne(options, counts, next)
      if (outcome?.kind === 'blocked') return fail(undefined, BLOCKED_MS)
      if (outcome?.kind === 'later') return fail(outcome.wait_ms)
      failures = 0
    }
  }
  const run = async (): Promise<void> => {
    if (running || isStopped || pause.isOn()) return running
    running = sendAll().catch((error: unknown) => {
      say(`Log entries cannot be sent: ${String(error)}`)
      fail(undefined)
    })
    await running
    running = undefined
    underWay = undefined
    if (segments.sealed().length > 0 || segments.isOpen()) schedule()
  }
  return {
    wake: () => {
      if (running === undefined) schedule()
    },
    flush: async () => {
      await running
      if (pause.isTold()) return false
      pause.end()
      segments.seal()
      await run()
      return segments.sealed().length === 0
    },
    isUnderWay: (segment) => segment === underWay,
    isSending: () => running !== undefined,
    stop: () => {
      isStopped = true
      timers.clear(timer)
      pause.end()
    },
    counts,
  }
}

/** The outcome, after what follows from it for the batch; undefined when there was nothing to send. */
async function sendOne(
  { segments, api, dropped, now, say }: SenderOptions,
  counts: SenderCounts,
  segment: Segment,
): Promise<Outcome | undefined> {
  await segment.synced
  const { lines, unreadable } = readOrReject(segments, segment, say)
  const outcome = lines.length > 0 ? await api.sendLogs(bodyOf(segment, lines)) : undefined
  switch (outcome?.kind) {
    case undefined:
      break
    case 'accepted':
      counts.acknowledged += lines.length
      counts.refused += Math.max(0, outcome.received - outcome.processed)
      counts.last_acknowledged_ms = now()
      say(undefined)
      break
    case 'rejected':
      counts.rejected += lines.length
      segments.reject(segment)
      say(`A batch was refused and put aside: ${outcome.reason}`)
      break
    case 'blocked':
      say(`The service does not take log entries, they are kept: ${outcome.reason}`)
      return outcome
    case 'later':
      say(`The service is away, log entries are kept: ${outcome.reason}`)
      return outcome
  }
  dropped.unreadable += unreadable
  segments.remove(segment)
  return outcome
}

/** What cannot be read must not hold up what comes after it. */
function readOrReject(
  segments: Segments,
  segment: Segment,
  say: SenderOptions['say'],
): ReturnType<Segments['read']> {
  try {
    return segments.read(segment)
  } catch (error) {
    say(`Log entries cannot be read back: ${String(error)}`)
    segments.reject(segment)
    return { lines: [], unreadable: segment.entries }
  }
}

/** The name tells batches apart that would otherwise be the same, like twice the same line in a millisecond. */
const bodyOf = ({ name }: Segment, lines: readonly string[]): string =>
  `{"batch":"${name}","logs":[${lines.join(',')}]}`
