/**
 * Deletes expired data. Sweeps run one after another and delete a bounded number of rows per
 * statement, so that no statement blocks others for long. A failing sweep does not stop the rest.
 */
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { GaugeOptions } from '../platform/metrics.ts'
import type { Sweep } from './part.ts'

const PAUSE_MS = 20

type SweepOptions = {
  log: Log
  signal: AbortSignal
  /** Called with the name of each sweep that has left nothing to delete. */
  onDone?: (name: string) => void
}

export async function sweepAll(
  sweeps: readonly Sweep[],
  { log, signal, onDone }: SweepOptions,
): Promise<void> {
  for (const { name, portion } of sweeps) {
    try {
      while (!signal.aborted && (await portion())) await pause()
      if (!signal.aborted) onDone?.(name)
    } catch (error) {
      log.error({ err: error, sweep: name }, 'retention sweep failed; the next run will try again')
    }
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS))

/** Measures for how long each sweep has not come to its end, beginning with the start of this process. */
export function createRetentionLag(
  names: readonly string[],
  clock: Clock,
): { done: (name: string) => void; gauges: GaugeOptions<string> } {
  const begun = clock.now().getTime()
  const done = new Map(names.map((name) => [name, begun]))
  return {
    done: (name) => {
      done.set(name, clock.now().getTime())
    },
    gauges: {
      label: 'sweep',
      gauges: {
        vigil_retention_lag_seconds: 'Time since all expired data was last deleted',
      },
      read: () => {
        const now = clock.now().getTime()
        const rows = [...done].map(([label, at]) => ({
          label,
          values: { vigil_retention_lag_seconds: Math.max(0, now - at) / 1000 },
        }))
        return Promise.resolve(rows)
      },
    },
  }
}
