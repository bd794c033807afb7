/** Divides long work into small pieces so that other work of the process gets most of the time. */
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * @returns a function to call between two pieces of work, shared by all workers: it returns a pause
 *   to await once the pieces since the last pause took `work_ms`
 */
export function createPace({ work_ms, rest_ms }: { work_ms: number; rest_ms: number }) {
  let began = performance.now()
  let resting: Promise<void> | undefined
  return (): Promise<void> | undefined => {
    if (performance.now() - began < work_ms) return undefined
    resting ??= sleep(rest_ms).then(() => {
      began = performance.now()
      resting = undefined
    })
    return resting
  }
}
