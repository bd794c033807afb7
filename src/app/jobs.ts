/**
 * Runs the work of a worker process: recurring jobs, retention, and the dispatchers of all parts. The jobs
 * and dispatchers of a cell start when the cell can be used.
 */
import { MAIN_CELL } from '../modules/cells/index.ts'
import { createSchedule, type Schedule } from '../platform/schedule.ts'
import { HOUR_SECONDS } from '../platform/time-units.ts'
import type { Core } from './core.ts'
import type { Part } from './part.ts'
import { type Parts, partsInOrder } from './parts.ts'
import { createRetentionLag, sweepAll } from './retention.ts'

const DISPATCH_DRAIN_MS = 2000

export function startJobs(core: Core, parts: Parts): Pick<Schedule, 'stop'> {
  const { log, clock, metrics } = core
  const schedule = createSchedule({ log, clock, metrics })
  const places = [
    { core, all: partsInOrder(parts), usable: undefined },
    ...parts.cells.map(({ core: own, parts: of, cell }) => ({
      core: own,
      all: partsInOrder(of),
      usable: cell.usable,
    })),
  ].map((place) => ({ ...place, prefix: prefixOf(place.core) }))
  const lag = createRetentionLag(
    places.flatMap(({ all, prefix }) =>
      sweepsOf(all, clock.now()).map(({ name }) => `${prefix}${name}`),
    ),
    clock,
  )
  metrics.addGauges(lag.gauges)
  const started: NonNullable<Part['dispatchers']>[number][] = []
  let isStopping = false
  const start = ({ all, prefix }: (typeof places)[number]) => {
    if (isStopping) return
    for (const job of all.flatMap(({ jobs = [] }) => jobs)) {
      schedule.every({ ...job, name: `${prefix}${job.name}` })
    }
    schedule.every({
      name: `${prefix}retention`,
      interval_seconds: HOUR_SECONDS,
      run: (now, signal) => {
        const onDone = (name: string) => lag.done(`${prefix}${name}`)
        return sweepAll(sweepsOf(all, now), { log, signal, onDone })
      },
    })
    const dispatchers = all.flatMap((part) => part.dispatchers ?? [])
    for (const dispatcher of dispatchers) dispatcher.start()
    started.push(...dispatchers)
  }
  for (const place of places) {
    if (place.usable) void place.usable().then(() => start(place))
    else start(place)
  }
  return {
    stop: async () => {
      isStopping = true
      const stopped = started.map((dispatcher) => dispatcher.stop(DISPATCH_DRAIN_MS))
      await Promise.all([schedule.stop(), ...stopped])
    },
  }
}

/** In logs and metrics, the name of a cell comes before that of its job. */
const prefixOf = ({ cell }: Core): string => (cell === MAIN_CELL ? '' : `${cell}/`)

const sweepsOf = (all: readonly Part[], now: Date) =>
  all.flatMap(({ sweeps }) => sweeps?.(now) ?? [])
