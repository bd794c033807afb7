/**
 * From the event to the server: batches, one request at a time, attempts again after failures, and
 * what happens when the page goes away. A batch is in one place at a time, memory, the request that
 * is under way or the browser's storage, so the SDK itself sends nothing twice.
 */
import { type Batch, byteLength, createQueue } from './queue.ts'
import type { Shelf } from './shelf.ts'
import { backoffMs, post } from './transport.ts'

/** What browsers let a page that is closing have under way is 64 KiB. */
export const BEACON_BYTES_MAX = 60_000

export type OutboxOptions = {
  url: string
  flush_ms: number
  shelf: Shelf
  send: typeof fetch
  beacon: (url: string, body: string) => boolean
  isOnline: () => boolean
  /** Milliseconds on a clock that only goes forward. */
  now: () => number
  /** Before a batch is closed because it is time to: the last chance to add to it. */
  beforeFlush: () => void
  onForbidden: () => void
}

export type Outbox = {
  push: (sessionId: string, event: string) => void
  /** Sees to it that there will be a flush. */
  wake: () => void
  flush: () => void
  /** The page is hidden or goes away: what can be sent is sent without waiting for answers. */
  leave: () => void
  takeDropped: () => number
  /** Nothing more is sent; what waits is forgotten, in memory and in the storage. */
  forget: () => void
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { url, flush_ms, shelf, isOnline, now } = options
  const queue = createQueue()
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = 0
  let isSending = false
  let bytesUnderWay = 0
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
    const mine: Batch[] = []
    for (let batch = queue.shift(); batch; batch = queue.shift()) mine.push(batch)
    if (mine.length === 0) return
    const dropped = shelf.put(mine)
    if (dropped === undefined) queue.unshift(mine)
    else queue.drop(dropped)
  }

  /** Whether the next one may follow. */
  const send = async (batch: Batch): Promise<boolean> => {
    bytesUnderWay = byteLength(batch.body)
    const outcome = await post(options.send, url, batch.body)
    bytesUnderWay = 0
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
    queue.unshift(shelf.takeAll())
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
      let left = BEACON_BYTES_MAX - bytesUnderWay
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
      shelf.clear()
    },
  }
}
