/**
 * How full the spool is, for those who have to know before each batch: read now and then, and what
 * this process added since is counted on top.
 */
import type { Log } from '../log.ts'

export type SpoolGauge = {
  /** Seconds to wait, when there is no room. Never waits itself. */
  fullFor(): number | undefined
  /** So much was added. */
  note(bytes: number): void
}

export type SpoolGaugeOptions = {
  /** Bytes that wait, of all processes together. */
  read: () => Promise<number>
  max_bytes: number
  log: Log
  /** At least so long between two readings. */
  every_ms?: number
}

const EVERY_MS = 1000
/** Reading a long spool takes time: no more than a twentieth of it is spent so. */
const PAUSE_SHARE = 20
/** By then the engine is back, or it takes longer anyhow. */
const RETRY_AFTER_SECONDS = 10

export function createSpoolGauge(options: SpoolGaugeOptions): SpoolGauge {
  let known = 0
  let added = 0
  let nextAt = Number.NEGATIVE_INFINITY
  let isReading = false

  const read = async () => {
    isReading = true
    const begun = performance.now()
    const addedBefore = added
    try {
      known = await options.read()
      added -= addedBefore
    } catch (error) {
      options.log.warn({ err: error }, 'how full the spool is could not be read')
    }
    const tookMs = performance.now() - begun
    nextAt = performance.now() + Math.max(options.every_ms ?? EVERY_MS, PAUSE_SHARE * tookMs)
    isReading = false
  }

  return {
    fullFor: () => {
      if (!isReading && performance.now() >= nextAt) void read()
      return known + added > options.max_bytes ? RETRY_AFTER_SECONDS : undefined
    },
    note: (bytes) => {
      added += bytes
    },
  }
}
