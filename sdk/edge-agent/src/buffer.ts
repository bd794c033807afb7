/** How much may wait, and what gives way when that is reached: nothing is lost without being counted. */
import type { Segment, Segments } from './segments.ts'
import type { EdgeAgentStats, LogLevel } from './types.ts'

export type Dropped = EdgeAgentStats['dropped']

export type Buffer = {
  /** Whether it was taken. */
  add: (line: string, level: LogLevel) => boolean
  dropped: Dropped
}

/**
 * Full: entries below `error` are not taken, for errors the oldest batches go. `isUnderWay` says which
 * batch may be with the service already.
 */
export function createBuffer(
  segments: Segments,
  bytesMax: number,
  isUnderWay: (segment: Segment) => boolean,
  say: (message: string | undefined) => void,
): Buffer {
  const dropped: Dropped = { buffer_full: 0, evicted: 0, disk: 0, unreadable: 0, closed: 0 }

  const makeRoom = (bytes: number): boolean => {
    while (segments.totals().bytes + bytes > bytesMax) {
      const oldest = segments.sealed().find((segment) => !isUnderWay(segment))
      if (!oldest) return false
      dropped.evicted += oldest.entries
      segments.remove(oldest)
    }
    return true
  }
  const refuse = (reason: 'buffer_full' | 'disk'): boolean => {
    dropped[reason] += 1
    say(
      reason === 'disk'
        ? 'The disk does not take log entries; they are lost'
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
      if (!isFull) say(undefined)
      return true
    },
  }
}
