/** Enrolls many phones with one token at a steady rate. */

import { ApiError } from '../google-errors.ts'
import type { Timers } from '../timers.ts'
import type { BulkRequest } from './control-schema.ts'
import type { Core } from './core.ts'
import { enroll } from './enrollment.ts'

export type BulkProgress = {
  readonly count: number
  readonly enrolled: number
  readonly failed: number
  readonly is_running: boolean
  /** The error of the last enrollment that failed. */
  readonly error: string | null
}

export type Bulk = {
  start: (request: BulkRequest) => BulkProgress
  progress: () => BulkProgress
}

const TICK_MS = 50
const DEFAULT_PER_SECOND = 100
const MODELS: readonly (readonly [brand: string, model: string, android: string])[] = [
  ['Google', 'Pixel 9', '16'],
  ['Samsung', 'SM-A556B', '15'],
  ['Zebra', 'TC58', '13'],
  ['Honeywell', 'CT47', '14'],
  ['Sunmi', 'V3', '13'],
]

export function createBulk(core: Core, timers: Timers): Bulk {
  let progress: BulkProgress = { count: 0, enrolled: 0, failed: 0, is_running: false, error: null }

  const enrollOne = ({ count: _count, per_second: _rate, ...request }: BulkRequest): void => {
    const at = progress.enrolled + progress.failed
    const [brand, model, android_version] = MODELS[at % MODELS.length] ?? ['Google', 'Pixel', '15']
    try {
      enroll(core, { brand, model, android_version, ...request })
      progress = { ...progress, enrolled: progress.enrolled + 1 }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      progress = { ...progress, failed: progress.failed + 1, error: error.message }
    }
  }

  return {
    progress: () => progress,
    start: (request) => {
      if (progress.is_running) {
        throw new ApiError('FAILED_PRECONDITION', 'A bulk enrollment is running already.')
      }
      progress = { count: request.count, enrolled: 0, failed: 0, is_running: true, error: null }
      const perTick = ((request.per_second ?? DEFAULT_PER_SECOND) * TICK_MS) / 1_000
      let ticks = 0
      const tick = () => {
        ticks += 1
        const due = Math.min(request.count, Math.ceil(ticks * perTick))
        while (progress.enrolled + progress.failed < due) enrollOne(request)
        if (due < request.count) timers.later(TICK_MS, tick)
        else progress = { ...progress, is_running: false }
      }
      tick()
      return progress
    },
  }
}
