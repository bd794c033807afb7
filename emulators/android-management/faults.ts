/** Trouble on purpose: calls that are refused, slow or torn down, notifications that go astray. */
import type { HttpReply } from '../http-server.ts'
import type { Faults } from './control-schema.ts'
import { ApiError, errorReply } from './errors.ts'
import { createRandom } from './random.ts'

export type FaultSource = {
  get: () => Faults
  set: (faults: Faults) => void
  /** What a call of an API gets in place of its answer; undefined lets it through. */
  refusal: () => HttpReply | undefined
  latencyMs: () => number
  /** Whether a call that was carried out stays without its answer. */
  losesAnswer: () => boolean
  /** Whether the next notification has this trouble. */
  strikes: (trouble: 'lost_rate' | 'duplicate_rate' | 'reorder_rate') => boolean
}

export function createFaults(): FaultSource {
  let faults: Faults = {}
  let random = createRandom(1)
  const happens = (rate: number | undefined): boolean => (rate ?? 0) > 0 && random() < (rate ?? 0)
  return {
    get: () => faults,
    set: (next) => {
      faults = next
      random = createRandom(next.seed ?? 1)
    },
    refusal: () => {
      if (faults.away === true) return { status: 503, fault: 'reset' }
      return happens(faults.error_rate) ? refusalReply(faults.error_status ?? 503) : undefined
    },
    latencyMs: () => faults.latency_ms ?? 0,
    losesAnswer: () => happens(faults.lost_answer_rate),
    strikes: (trouble) => happens(faults.notifications?.[trouble]),
  }
}

const refusalReply = (status: 429 | 503): HttpReply =>
  errorReply(
    status === 429
      ? new ApiError('RESOURCE_EXHAUSTED', 'Quota exceeded for quota metric and limit.')
      : new ApiError('UNAVAILABLE', 'The service is currently unavailable.'),
  )
