/** Runs the work of a worker process: recurring jobs, retention, and the dispatchers of all parts. */
import { createSchedule, type Schedule } from '../platform/schedule.ts'
import { HOUR_SECONDS } from '../platform/time-units.ts'
import type { Core } from './core.ts'
import { type Parts, partsInOrder } from './parts.ts'
import { createRetentionLag, sweepAll } from './retention.ts'

const DISPATCH_DRAIN_MS = 2000

export function startJobs(core: Core, parts: Parts): Pick<Schedule, 'stop'> {
  const { log, clock, metrics } = core
  const schedule = createSchedule({ log, clock, metrics })
  const all = partsInOrder(parts)
  for (const job of all.flatMap(({ jobs = [] }) => jobs)) schedule.every(job)
  const sweepsAt = (now: Date) => all.flatMap(({ sweeps }) => sweeps?.(now) ?? [])
  const lag = createRetentionLag(
    sweepsAt(clock.now()).map(({ name }) => name),
    clock,
  )
  metrics.addGauges(lag.gauges)
  schedule.every({
    name: 'retention',
    interval_seconds: HOUR_SECONDS,
    run: (now, signal) => sweepAll(sweepsAt(now), { log, signal, onDone: lag.done }),
  })
  const dispatchers = all.flatMap((part) => part.dispatchers ?? [])
  for (const dispatcher of dispatchers) dispatcher.start()
  return {
    stop: async () => {
      const stopped = dispatchers.map((dispatcher) => dispatcher.stop(DISPATCH_DRAIN_MS))
      await Promise.all([schedule.stop(), ...stopped])
    },
  }
}
