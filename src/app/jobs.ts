/** Runs the work of a worker process: recurring jobs, retention, and the dispatchers of all parts. */
import { createSchedule, type Schedule } from '../platform/schedule.ts'
import { HOUR_SECONDS } from '../platform/time-units.ts'
import type { Core } from './core.ts'
import { type Parts, partsInOrder } from './parts.ts'
import { sweepAll } from './retention.ts'

const DISPATCH_DRAIN_MS = 2000

export function startJobs(core: Core, parts: Parts): Pick<Schedule, 'stop'> {
  const { log, clock } = core
  const schedule = createSchedule({ log, clock })
  const all = partsInOrder(parts)
  for (const job of all.flatMap(({ jobs = [] }) => jobs)) schedule.every(job)
  schedule.every({
    name: 'retention',
    interval_seconds: HOUR_SECONDS,
    run: (now, signal) =>
      sweepAll(
        all.flatMap(({ sweeps }) => sweeps?.(now) ?? []),
        log,
        signal,
      ),
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
