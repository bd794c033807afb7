/**
 * What the live tail shows, and what waits while it is held: the newest first, each entry once, of
 * bounded length. Pure; whatever is left out is counted.
 */
import type { LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'

export type TailBuffer = {
  shown: readonly LogRecord[]
  /** Came in while the view was held, the newest first. */
  waiting: readonly LogRecord[]
  is_held: boolean
  /** Left out, because they came faster than they could be kept. */
  skipped: number
}

export const EMPTY_BUFFER: TailBuffer = { shown: [], waiting: [], is_held: false, skipped: 0 }

export const SHOWN_MAX = 1000
export const WAITING_MAX = 1000

/** @param entries in the order in which they came */
export function added(buffer: TailBuffer, entries: readonly LogRecord[]): TailBuffer {
  const known = new Set([...buffer.shown, ...buffer.waiting].map(({ id }) => id))
  const fresh: LogRecord[] = []
  for (const entry of entries) {
    if (known.has(entry.id)) continue
    known.add(entry.id)
    fresh.push(entry)
  }
  if (fresh.length === 0) return buffer
  fresh.reverse()
  if (!buffer.is_held) return { ...buffer, shown: [...fresh, ...buffer.shown].slice(0, SHOWN_MAX) }
  const waiting = [...fresh, ...buffer.waiting]
  const lost = Math.max(0, waiting.length - WAITING_MAX)
  return { ...buffer, waiting: waiting.slice(0, WAITING_MAX), skipped: buffer.skipped + lost }
}

export const skippedSome = (buffer: TailBuffer, count: number): TailBuffer =>
  count === 0 ? buffer : { ...buffer, skipped: buffer.skipped + count }

export const held = (buffer: TailBuffer): TailBuffer =>
  buffer.is_held ? buffer : { ...buffer, is_held: true }

/** Shows what waited. */
export function released({ shown, waiting, skipped }: TailBuffer): TailBuffer {
  return {
    shown: [...waiting, ...shown].slice(0, SHOWN_MAX),
    waiting: [],
    is_held: false,
    skipped,
  }
}
