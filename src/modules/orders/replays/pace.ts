/** Long work in small pieces: other work of the process gets its turn, and most of the time. */
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * @returns what is called between two pieces, by all who share the time: answers a rest that has to be
 *   waited for, once the pieces since the last one took `work_ms`
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
