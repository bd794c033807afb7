/** Limits the buffer on disk. Entries that are dropped are counted. */
import type { Segment, Segments } from './segments.ts'
import type { EdgeAgentStats, LogLevel } from './types.ts'

export type Dropped = EdgeAgentStats['dropped']

export type Buffer = {
  /** Returns whether the entry was stored. */
  add: (line: string, level: LogLevel) => boolean
  dropped: Dropped
}

/**
 * A full buffer drops entries below `error` and deletes its oldest batches for errors, except the
 * batch that `isInFlight` says is being sent.
 */
export function createBuffer(
  segments: Segments,
  bytesMax: number,
  isInFlight: (segment: Segment) => boolean,
  report: (message: string | undefined) => void,
): Buffer {
  const dropped: Dropped = { buffer_full: 0, evicted: 0, disk: 0, unreadable: 0, closed: 0 }

  const makeRoom = (bytes: number): boolean => {
    while (segments.totals().bytes + bytes > bytesMax) {
      const oldest = segments.sealed().find((segment) => !isInFlight(segment))
      if (!oldest) return false
      dropped.evicted += oldest.entries
      segments.remove(oldest)
    }
    return true
  }
  const refuse = (reason: 'buffer_full' | 'disk'): boolean => {
    dropped[reason] += 1
    report(
      reason === 'disk'
        ? 'Log entries cannot be written to the disk and are lost'
        : 'The buffer is full: entries below error are lost, errors replace the oldest entries',
    )
    return false
  }
  return {
    dropped,
    add: (line, level) => {
      const bytes = globalThis.Buffer.byteLength(line)
      const isFull = segments.totals().bytes + bytes > bytesMax
      const isUrgent = level === 'error' || level === 'fatal'
      if (isFull && !(isUrgent && makeRoom(bytes))) return refuse('buffer_full')
      try {
        segments.append(line)
      } catch {
        return refuse('disk')
      }
      if (!isFull) report(undefined)
      return true
    },
  }
}
