/**
 * The live tail: reads the stream, begins again when it ends, and asks for what came meanwhile. While
 * it sleeps there is no connection. What it shows is a buffer of bounded length.
 */
import type { LogPage, LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'
import { ApiError } from '../../../api/client.ts'
import type { Dates } from '../time-range.ts'
import { added, EMPTY_BUFFER, held, released, skippedSome, type TailBuffer } from './buffer.ts'
import { createEventReader, type StreamEvent } from './event-stream.ts'
import { gapDates, missedOf, waitBefore } from './gap.ts'

export type TailState = {
  buffer: TailBuffer
  link: 'connecting' | 'open' | 'waiting' | 'asleep' | 'refused'
  /** Why it waits, or was refused. */
  problem: string | undefined
}

export type TailConnection = {
  /** What comes is kept, and not shown. */
  hold(): void
  release(): void
  /** Nobody looks: the connection is given up until `wake`. */
  sleep(): void
  wake(): void
  /** Waits no longer before the next attempt. */
  retry(): void
  close(): void
}

export type TailOptions = {
  open: (signal: AbortSignal) => Promise<Response>
  /** The newest logs, of bounded number. */
  read: (dates: Dates, signal: AbortSignal) => Promise<LogPage>
  onState: (state: TailState) => void
  now: () => Date
  random: () => number
  /** Of what is shown: so often at most. */
  show_ms: number
  /** What came in just before the stream began can be read so much later at the latest. */
  settle_ms: number
}

/** The service tells its time in whole seconds. */
const SECOND_MS = 1000
/** What is shown when the tail begins. */
const BEFORE_MS = 900_000
/** Asking again would be answered the same. */
const FINAL = [400, 403, 404]

export function createTailConnection(options: TailOptions): TailConnection {
  const { now, random, show_ms } = options
  const closing = new AbortController()
  let state: TailState = { buffer: EMPTY_BUFFER, link: 'connecting', problem: undefined }
  let lastReceived: Date | undefined
  /** From where on something is missing, because it could not be read. */
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
    change({ buffer: added(state.buffer, entries) })
  }
  const takeEvents = (events: readonly StreamEvent[]) => {
    const entries = events.flatMap(({ event, data }) =>
      event === 'log' ? [JSON.parse(data) as LogRecord] : [],
    )
    if (entries.length > 0) take(entries)
    for (const { event, data } of events) {
      if (event !== 'dropped') continue
      const { count } = JSON.parse(data) as { count: number }
      change({ buffer: skippedSome(state.buffer, count) })
    }
  }
  /** @param until what was received later is streamed. @returns what was read, by id */
  const fill = async (
    { since, known, until }: { since: Date | undefined; known?: Set<string>; until?: Date },
    signal: AbortSignal,
  ): Promise<Set<string>> => {
    const start = new Date(now().getTime() - BEFORE_MS).toISOString()
    const page = await options.read(since ? gapDates(since) : { start_date: start }, signal)
    const { entries, skipped } = missedOf(page, since ?? new Date(0))
    const last = until?.toISOString()
    take(
      entries.filter(
        ({ id, received_at }) => !known?.has(id) && (last === undefined || received_at <= last),
      ),
    )
    if (since && !known) change({ buffer: skippedSome(state.buffer, skipped) })
    missingSince = undefined
    return new Set(entries.map(({ id }) => id))
  }
  const follow = async (signal: AbortSignal) => {
    missingSince ??= lastReceived
    const since = missingSince
    const response = await options.open(signal)
    const opened = serverTime(response) ?? now()
    // What is streamed waits meanwhile. While logs cannot be read the stream is all there is.
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
  const pause = async (ms: number | undefined) => {
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
        await pause(undefined)
        continue
      }
      change({ link: 'connecting' })
      current = new AbortController()
      try {
        await follow(current.signal)
        failures = 0
        // It ends with the access token; a service that ends it at once is not to be asked at once.
        await pause(waitBefore(1, random()))
      } catch (error) {
        if (current.signal.aborted) continue
        failures = state.link === 'open' ? 1 : failures + 1
        const problem = error instanceof ApiError ? error.message : 'The connection was lost'
        if (error instanceof ApiError && FINAL.includes(error.status)) {
          change({ link: 'refused', problem })
          return
        }
        change({ link: 'waiting', problem })
        await pause(waitBefore(failures, random()))
      }
    }
  }

  void run()
  return {
    hold: () => change({ buffer: held(state.buffer) }),
    release: () => change({ buffer: released(state.buffer) }),
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
