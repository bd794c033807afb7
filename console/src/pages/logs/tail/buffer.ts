/**
 * The entries of the live tail, and those that arrive while it is paused: newest first, each entry once,
 * bounded. Skipped entries are counted.
 */
import type { LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'

export type TailBuffer = {
  shown: readonly LogRecord[]
  /** Arrived while the tail was paused, newest first. */
  pending: readonly LogRecord[]
  is_paused: boolean
  /** Number of entries that arrived faster than they could be shown or stored. */
  skipped: number
}

export const EMPTY_BUFFER: TailBuffer = { shown: [], pending: [], is_paused: false, skipped: 0 }

export const SHOWN_MAX = 1000
export const PENDING_MAX = 1000

/** @param entries in order of arrival */
export function withEntries(buffer: TailBuffer, entries: readonly LogRecord[]): TailBuffer {
  const known = new Set([...buffer.shown, ...buffer.pending].map(({ id }) => id))
  const fresh: LogRecord[] = []
  for (const entry of entries) {
    if (known.has(entry.id)) continue
    known.add(entry.id)
    fresh.push(entry)
  }
  if (fresh.length === 0) return buffer
  fresh.reverse()
  if (!buffer.is_paused) {
    return { ...buffer, shown: [...fresh, ...buffer.shown].slice(0, SHOWN_MAX) }
  }
  const pending = [...fresh, ...buffer.pending]
  const lost = Math.max(0, pending.length - PENDING_MAX)
  return { ...buffer, pending: pending.slice(0, PENDING_MAX), skipped: buffer.skipped + lost }
}

export const withSkipped = (buffer: TailBuffer, count: number): TailBuffer =>
  count === 0 ? buffer : { ...buffer, skipped: buffer.skipped + count }

export const paused = (buffer: TailBuffer): TailBuffer =>
  buffer.is_paused ? buffer : { ...buffer, is_paused: true }

/** Moves the pending entries into view. */
export function resumed({ shown, pending, skipped }: TailBuffer): TailBuffer {
  return {
    shown: [...pending, ...shown].slice(0, SHOWN_MAX),
    pending: [],
    is_paused: false,
    skipped,
  }
}
