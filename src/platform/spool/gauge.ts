/**
 * Estimates how full the spool is, for a check before each batch: the sizes are read periodically, and
 * what this process has added since is counted on top. An organization may hold as much as is free, so
 * that one alone can fill half of the spool, and one that holds nothing yet always finds room.
 */
import type { Log } from '../log.ts'
import { createRepeatedErrors } from '../repeated-errors.ts'

export type SpoolGauge = {
  /** Returns the seconds to wait if the organization has used up its share. Never blocks. */
  fullFor(orgId: string): number | undefined
  /** Counts bytes that this process has added. */
  add(orgId: string, bytes: number): void
}

export type WaitingBytes = {
  total: number
  /** Those of the organizations that hold the most. */
  by_organization: Map<string, number>
}

export type SpoolGaugeOptions = {
  /** Reads the waiting bytes of all processes. */
  read: () => Promise<WaitingBytes>
  max_bytes: number
  log: Log
  /** Minimum interval between two reads. */
  every_ms?: number
}

const EVERY_MS = 1000
/** Reading a long spool takes time; at most a twentieth of the time is spent on it. */
const PAUSE_SHARE = 20
/** Typical restart of the engine; sent as Retry-After. */
const RETRY_AFTER_SECONDS = 10

const nothing = (): WaitingBytes => ({ total: 0, by_organization: new Map() })

export function createSpoolGauge(options: SpoolGaugeOptions): SpoolGauge {
  let known = nothing()
  let added = nothing()
  /** Bytes that were added during a read, which may not have seen them. */
  let addedDuringRead = nothing()
  let nextAt = Number.NEGATIVE_INFINITY
  const errors = createRepeatedErrors(options.log)
  let isReading = false

  const read = async () => {
    isReading = true
    addedDuringRead = nothing()
    const begun = performance.now()
    try {
      known = await options.read()
      added = addedDuringRead
    } catch (error) {
      errors.log(error, {}, 'the size of the spool could not be read')
    }
    const tookMs = performance.now() - begun
    nextAt = performance.now() + Math.max(options.every_ms ?? EVERY_MS, PAUSE_SHARE * tookMs)
    isReading = false
  }

  return {
    fullFor: (orgId) => {
      if (!isReading && performance.now() >= nextAt) void read()
      const free = options.max_bytes - known.total - added.total
      const own = bytesOf(known, orgId) + bytesOf(added, orgId)
      return free < 0 || own > free ? RETRY_AFTER_SECONDS : undefined
    },
    add: (orgId, bytes) => {
      addTo(added, orgId, bytes)
      if (isReading) addTo(addedDuringRead, orgId, bytes)
    },
  }
}

const bytesOf = ({ by_organization }: WaitingBytes, orgId: string): number =>
  by_organization.get(orgId) ?? 0

function addTo(waiting: WaitingBytes, orgId: string, bytes: number): void {
  waiting.total += bytes
  waiting.by_organization.set(orgId, bytesOf(waiting, orgId) + bytes)
}
