/**
 * Pending events in batches, each of which fits a request. A closed batch never changes, so that a
 * retry has the same bytes and the server recognizes it.
 */

export const BATCH_BYTES_MAX = 16_384
export const BATCH_EVENTS_MAX = 50
/** Limits the queue to half a megabyte. */
export const BATCHES_MAX = 32

export type Batch = { body: string; count: number }

export type Queue = {
  /** Returns false when the event is larger than a batch. Closes batches that are full. */
  push: (sessionId: string, event: string) => boolean
  close: () => void
  /** Removes and returns the oldest closed batch. */
  shift: () => Batch | undefined
  /** Inserts older batches at the front. Beyond the limit, the oldest batches are dropped. */
  unshift: (batches: readonly Batch[]) => void
  hasClosed: () => boolean
  /** Returns the number of events that were dropped since the last call. */
  takeDropped: () => number
  drop: (count: number) => void
}

export function createQueue(): Queue {
  let closed: Batch[] = []
  let open: string[] = []
  let session = ''
  let size = 0
  let dropped = 0

  const bound = (): void => {
    while (closed.length > BATCHES_MAX) dropped += closed.shift()?.count ?? 0
  }
  const close = (): void => {
    if (open.length === 0) return
    closed.push({ body: `${head(session)}${open.join(',')}]}`, count: open.length })
    open = []
    bound()
  }
  return {
    push: (sessionId, event) => {
      const bytes = byteLength(event) + 1
      const empty = byteLength(head(sessionId)) + 1
      if (empty + bytes > BATCH_BYTES_MAX) {
        dropped += 1
        return false
      }
      if (sessionId !== session || size + bytes > BATCH_BYTES_MAX) close()
      if (open.length === 0) {
        session = sessionId
        size = empty
      }
      open.push(event)
      size += bytes
      if (open.length === BATCH_EVENTS_MAX) close()
      return true
    },
    close,
    shift: () => closed.shift(),
    unshift: (batches) => {
      closed = [...batches, ...closed]
      bound()
    },
    hasClosed: () => closed.length > 0,
    takeDropped: () => {
      const count = dropped
      dropped = 0
      return count
    },
    drop: (count) => {
      dropped += count
    },
  }
}

const head = (session: string): string => `{"session_id":${JSON.stringify(session)},"events":[`

export const byteLength = (text: string): number => new TextEncoder().encode(text).length
