/**
 * The connection of the live tail: reads the stream, reconnects when it ends, and loads the entries that
 * arrived in between. It is closed while the page is hidden.
 */
import type { LogPage, LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'
import { ApiError } from '../../../api/client.ts'
import { parseExact } from '../../../api/exact-json.ts'
import type { Dates } from '../time-range.ts'
import {
  EMPTY_BUFFER,
  paused,
  resumed,
  type TailBuffer,
  withEntries,
  withSkipped,
} from './buffer.ts'
import { createEventReader, type StreamEvent } from './event-stream.ts'
import { gapDates, missedEntries, reconnectDelayMs } from './gap.ts'

export type TailState = {
  buffer: TailBuffer
  link: 'connecting' | 'open' | 'waiting' | 'asleep' | 'refused'
  /** Why the link is waiting or was refused. */
  problem: string | undefined
}

export type TailConnection = {
  /** Collects new entries without showing them. */
  pause(): void
  resume(): void
  /** Closes the connection until `wake`, while the page is hidden. */
  sleep(): void
  wake(): void
  /** Reconnects immediately. */
  retry(): void
  close(): void
}

export type TailOptions = {
  open: (signal: AbortSignal) => Promise<Response>
  /** Loads the newest logs. */
  read: (dates: Dates, signal: AbortSignal) => Promise<LogPage>
  onState: (state: TailState) => void
  now: () => Date
  random: () => number
  /** Minimum time between two calls of `onState`. */
  show_ms: number
  /** Delay until entries ingested just before the stream started can be queried. */
  settle_ms: number
}

/** Resolution of the `Date` header. */
const SECOND_MS = 1000
/** Period of the logs that are shown when the tail starts. */
const INITIAL_PERIOD_MS = 900_000
/** Statuses that a new attempt would not change. */
const FINAL = [400, 403, 404]

export function createTailConnection(options: TailOptions): TailConnection {
  const { now, random, show_ms } = options
  const closing = new AbortController()
  let state: TailState = { buffer: EMPTY_BUFFER, link: 'connecting', problem: undefined }
  let lastReceived: Date | undefined
  /** Entries since then are missing, because they could not be loaded. */
  let missingSince: Date | undefined
  let current: AbortController | undefined
  let isAsleep = false
  let wakeUp: () => void = () => undefined
  let showing: ReturnType<typeof setTimeout> | undefined

  const show = () => {
    showing = undefined
    if (!closing.signal.aborted) options.onState(state)
  }
  const change = (changed: Partial<TailState>) => {
    state = { ...state, ...changed }
    showing ??= setTimeout(show, show_ms)
  }
  const take = (entries: readonly LogRecord[]) => {
    for (const { received_at } of entries) {
      const time = new Date(received_at)
      if (lastReceived === undefined || time > lastReceived) lastReceived = time
    }
    change({ buffer: withEntries(state.buffer, entries) })
  }
  const takeEvents = (events: readonly StreamEvent[]) => {
    const entries = events.flatMap(({ event, data }) =>
      event === 'log' ? [parseExact(data) as LogRecord] : [],
    )
    if (entries.length > 0) take(entries)
    for (const { event, data } of events) {
      if (event !== 'dropped') continue
      const { count } = JSON.parse(data) as { count: number }
      change({ buffer: withSkipped(state.buffer, count) })
    }
  }
  /**
   * Loads the entries that the stream does not deliver.
   *
   * @param until later entries are streamed
   * @returns ids of the loaded entries
   */
  const fill = async (
    { since, known, until }: { since: Date | undefined; known?: Set<string>; until?: Date },
    signal: AbortSignal,
  ): Promise<Set<string>> => {
    const start = new Date(now().getTime() - INITIAL_PERIOD_MS).toISOString()
    const page = await options.read(since ? gapDates(since) : { start_date: start }, signal)
    const { entries, skipped } = missedEntries(page, since ?? new Date(0))
    const last = until?.toISOString()
    take(
      entries.filter(
        ({ id, received_at }) => !known?.has(id) && (last === undefined || received_at <= last),
      ),
    )
    if (since && !known) change({ buffer: withSkipped(state.buffer, skipped) })
    missingSince = undefined
    return new Set(entries.map(({ id }) => id))
  }
  const follow = async (signal: AbortSignal) => {
    missingSince ??= lastReceived
    const since = missingSince
    const response = await options.open(signal)
    const opened = serverTime(response) ?? now()
    // The stream is buffered in the meantime. If logs cannot be loaded, only the stream is shown.
    const known = await fill({ since }, signal).catch(() => undefined)
    change({ link: 'open', problem: undefined })
    lastReceived ??= opened
    const until = new Date(opened.getTime() + SECOND_MS)
    const settled = setTimeout(
      () => void fill({ since, ...(known && { known, until }) }, signal).catch(() => undefined),
      options.settle_ms,
    )
    try {
      await readStream(response)
    } finally {
      clearTimeout(settled)
    }
  }
  const readStream = async ({ body }: Response) => {
    if (!body) return
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    const read = createEventReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      takeEvents(read(value))
    }
  }
  const wait = async (ms: number | undefined) => {
    await new Promise<void>((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms)
      wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
  const run = async () => {
    let failures = 0
    while (!closing.signal.aborted) {
      if (isAsleep) {
        change({ link: 'asleep' })
        await wait(undefined)
        continue
      }
      change({ link: 'connecting' })
      current = new AbortController()
      try {
        await follow(current.signal)
        failures = 0
        // The stream ends with the access token. The delay protects a service that ends it immediately.
        await wait(reconnectDelayMs(1, random()))
      } catch (error) {
        if (current.signal.aborted) continue
        failures = state.link === 'open' ? 1 : failures + 1
        const problem = error instanceof ApiError ? error.message : 'The connection was lost'
        if (error instanceof ApiError && FINAL.includes(error.status)) {
          change({ link: 'refused', problem })
          return
        }
        change({ link: 'waiting', problem })
        await wait(reconnectDelayMs(failures, random()))
      }
    }
  }

  void run()
  return {
    pause: () => change({ buffer: paused(state.buffer) }),
    resume: () => change({ buffer: resumed(state.buffer) }),
    sleep: () => {
      isAsleep = true
      current?.abort()
    },
    wake: () => {
      isAsleep = false
      wakeUp()
    },
    retry: () => wakeUp(),
    close: () => {
      closing.abort()
      clearTimeout(showing)
      current?.abort()
      wakeUp()
    },
  }
}

function serverTime(response: Response): Date | undefined {
  const time = new Date(response.headers.get('date') ?? '')
  return Number.isNaN(time.getTime()) ? undefined : time
}
