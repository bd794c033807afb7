/**
 * A part is the contribution of one product area to the running program. It creates each of its
 * services once; HTTP, jobs, retention, metrics and shutdown are loops over all parts.
 */
import type { Dispatcher } from '../platform/dispatch/index.ts'
import type { App } from '../platform/http/app.ts'
import type { GaugeOptions } from '../platform/metrics.ts'
import type { Job } from '../platform/schedule.ts'
import { DAY_MS } from '../platform/time-units.ts'

export type Part = {
  /** Registers the part's routes. Parts are registered in order. */
  routes?: (app: App) => void | Promise<void>
  jobs?: readonly Job[]
  /** Loops of a worker process that send data from the database to other systems. */
  dispatchers?: readonly Pick<Dispatcher, 'start' | 'stop'>[]
  /** Deletions of expired data, as of the given time. */
  sweeps?: (now: Date) => readonly Sweep[]
  gauges?: readonly GaugeOptions<string>[]
  /** Finishes the remaining work after the last request has been answered. */
  close?: () => Promise<void>
}

export type Sweep = {
  name: string
  /** Deletes a bounded number of rows. Resolves to whether more rows may be expired. */
  portion: () => Promise<boolean>
}

/** A sweep whose portions report the number of deleted rows. */
export const countedSweep = (name: string, deletePortion: () => Promise<number>): Sweep => ({
  name,
  portion: async () => (await deletePortion()) > 0,
})

export const job = (name: string, interval_seconds: number, run: Job['run']): Job => ({
  name,
  interval_seconds,
  run,
})

export const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY_MS)

/** No sweeps when the setting is 0, which disables retention. */
export function retentionSweeps(
  now: Date,
  days: number,
  tables: Readonly<Record<string, (before: Date) => Promise<number>>>,
): Sweep[] {
  if (days === 0) return []
  const before = daysBefore(now, days)
  return Object.entries(tables).map(([name, sweep]) => countedSweep(name, () => sweep(before)))
}

/** A sweep of a table with partitions; none when the setting is 0. */
export const expirySweeps = (
  now: Date,
  days: number,
  name: string,
  expire: (before: Date) => Promise<boolean>,
): Sweep[] => (days === 0 ? [] : [{ name, portion: () => expire(daysBefore(now, days)) }])

/** Age of what waits; 0 when nothing does. */
export const secondsSince = (time: Date | null | undefined, now: Date): number =>
  time ? Math.max(0, now.getTime() - time.getTime()) / 1000 : 0
