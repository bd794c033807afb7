/**
 * Delivers events to the server: batches, one request at a time, retries, and beacons when the page is
 * closed. A batch is in one place at a time (memory, the current request or the storage of the
 * browser), so that the SDK sends none twice.
 */
import { type Batch, byteLength, createQueue } from './queue.ts'
import type { BatchStore } from './stored-batches.ts'
import { backoffMs, post } from './transport.ts'

/** Browsers limit the requests in flight of a page that is being closed to 64 KiB. */
export const BEACON_BYTES_MAX = 60_000

export type OutboxOptions = {
  url: string
  flush_ms: number
  stored: BatchStore
  send: typeof fetch
  beacon: (url: string, body: string) => boolean
  isOnline: () => boolean
  /** Milliseconds of a monotonic clock. */
  now: () => number
  /** Called before a batch is closed, so that events can be added to it. */
  beforeFlush: () => void
  onForbidden: () => void
}

export type Outbox = {
  push: (sessionId: string, event: string) => void
  /** Schedules a flush. */
  wake: () => void
  flush: () => void
  /** Sends pending events without waiting for answers, when the page is hidden or closed. */
  leave: () => void
  takeDropped: () => number
  /** Stops sending and discards pending events, in memory and in the storage. */
  forget: () => void
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { url, flush_ms, stored, isOnline, now } = options
  const queue = createQueue()
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = 0
  let isSending = false
  let bytesInFlight = 0
  let failures = 0
  let quietUntil = 0
  let isForgotten = false

  const schedule = (delayMs: number): void => {
    const at = now() + delayMs
    if (isForgotten || (timer !== undefined && dueAt <= at)) return
    clearTimeout(timer)
    dueAt = at
    timer = setTimeout(flush, delayMs)
  }
  const isQuiet = (): boolean => now() < quietUntil
  const mayTry = (): boolean => !isForgotten && isOnline() && !isQuiet()

  const spill = (): void => {
    const batches: Batch[] = []
    for (let batch = queue.shift(); batch; batch = queue.shift()) batches.push(batch)
    if (batches.length === 0) return
    const dropped = stored.put(batches)
    if (dropped === undefined) queue.unshift(batches)
    else queue.drop(dropped)
  }

  /** Returns whether the next batch can be sent. */
  const send = async (batch: Batch): Promise<boolean> => {
    bytesInFlight = byteLength(batch.body)
    const outcome = await post(options.send, url, batch.body)
    bytesInFlight = 0
    if (isForgotten) return false
    if (outcome.kind === 'later') {
      failures += 1
      const wait = outcome.wait_ms ?? backoffMs(failures, Math.random())
      quietUntil = now() + wait
      queue.unshift([batch])
      schedule(wait)
      return false
    }
    failures = 0
    if (outcome.kind === 'refused') queue.drop(batch.count)
    if (outcome.kind === 'forbidden') options.onForbidden()
    return mayTry()
  }
  const pump = async (): Promise<void> => {
    if (isSending || isForgotten) return
    if (!isOnline()) return spill()
    if (isQuiet()) return schedule(quietUntil - now())
    queue.unshift(stored.takeAll())
    isSending = true
    for (let next = queue.shift(); next; next = queue.shift()) if (!(await send(next))) break
    isSending = false
  }
  const close = (): void => {
    clearTimeout(timer)
    timer = undefined
    options.beforeFlush()
    queue.close()
  }
  function flush(): void {
    close()
    void pump()
  }
  return {
    push: (sessionId, event) => {
      if (isForgotten) return
      queue.push(sessionId, event)
      if (queue.hasClosed() && mayTry()) void pump()
      schedule(flush_ms)
    },
    wake: () => schedule(flush_ms),
    flush,
    leave: () => {
      close()
      let left = BEACON_BYTES_MAX - bytesInFlight
      for (let batch = queue.shift(); batch; batch = queue.shift()) {
        left -= byteLength(batch.body)
        if (mayTry() && left >= 0 && options.beacon(url, batch.body)) continue
        queue.unshift([batch])
        break
      }
      spill()
      if (isQuiet()) schedule(quietUntil - now())
    },
    takeDropped: queue.takeDropped,
    forget: () => {
      isForgotten = true
      clearTimeout(timer)
      stored.clear()
    },
  }
}
