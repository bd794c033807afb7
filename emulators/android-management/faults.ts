/** The faults of the emulator: API calls that are refused, slow or reset, and lost notifications. */

import { ApiError, errorReply } from '../google-errors.ts'
import type { HttpReply } from '../http-server.ts'
import { createRandom } from '../random.ts'
import type { Faults } from './control-schema.ts'

export type FaultSource = {
  get: () => Faults
  set: (faults: Faults) => void
  /** Returns the reply that replaces an API call; undefined when the call is carried out. */
  refusal: () => HttpReply | undefined
  latencyMs: () => number
  /** Decides whether the answer of a call that was carried out is lost. */
  losesAnswer: () => boolean
  /** Decides whether a fault affects the next notification. */
  affects: (fault: 'lost_rate' | 'duplicate_rate' | 'reorder_rate') => boolean
}

export function createFaults(): FaultSource {
  let faults: Faults = {}
  let random = createRandom(1)
  const occurs = (rate: number | undefined): boolean => (rate ?? 0) > 0 && random() < (rate ?? 0)
  return {
    get: () => faults,
    set: (next) => {
      faults = next
      random = createRandom(next.seed ?? 1)
    },
    refusal: () => {
      if (faults.unreachable === true) return { status: 503, fault: 'reset' }
      return occurs(faults.error_rate) ? refusalReply(faults.error_status ?? 503) : undefined
    },
    latencyMs: () => faults.latency_ms ?? 0,
    losesAnswer: () => occurs(faults.lost_answer_rate),
    affects: (fault) => occurs(faults.notifications?.[fault]),
  }
}

const refusalReply = (status: 429 | 503): HttpReply =>
  errorReply(
    status === 429
      ? new ApiError('RESOURCE_EXHAUSTED', 'Quota exceeded for quota metric and limit.')
      : new ApiError('UNAVAILABLE', 'The service is currently unavailable.'),
  )
