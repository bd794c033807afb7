/**
 * Deletes expired data. Sweeps run one after another and delete a bounded number of rows per
 * statement, so that no statement blocks others for long. A failing sweep does not stop the rest.
 */
import type { Log } from '../platform/log.ts'
import type { Sweep } from './part.ts'

const PAUSE_MS = 20

export async function sweepAll(
  sweeps: readonly Sweep[],
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  for (const { name, portion } of sweeps) {
    try {
      while (!signal.aborted && (await portion())) await pause()
    } catch (error) {
      log.error({ err: error, sweep: name }, 'retention sweep failed; the next run will try again')
    }
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
