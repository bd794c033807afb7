/**
 * `npm run bench -- push`: how fast a broadcast is sent against the same requests from memory, what it
 * takes of memory, and how long others wait meanwhile.
 */
import type { Cleanup } from './cleanup.ts'
import type { BenchOptions } from './options.ts'
import { preparePush } from './push-bed.ts'
import { measureBroadcasts } from './push-broadcast.ts'
import { measureFairness } from './push-fairness.ts'
import type { PushReport } from './push-report.ts'
import { machineName } from './rounds.ts'

export async function benchPush(
  options: BenchOptions,
  cleanup: Cleanup,
  tell: (step: string) => void,
): Promise<PushReport> {
  const bed = await preparePush(options, cleanup, tell)
  const broadcasts = await measureBroadcasts(bed, options)
  const fairness = await measureFairness(bed)
  return { machine: machineName(), broadcasts, fairness }
}
