/** The scenario of the webhook receiver: its secrets, and its answers and faults by path. */
import { type Static, Type } from 'typebox'
import { Latency, object, oneOf, scenarioReader } from './scenario.ts'

/**
 * `hang` keeps the connection open and silent, `drip_headers` and `drip_body` send headers or a body
 * slowly and without end, `flood` sends a body without end as fast as it is read, `reset` resets the
 * connection.
 */
const ReceiverFault = oneOf('hang', 'drip_headers', 'drip_body', 'flood', 'reset')

const Behavior = object({
  /** Status of the answer; default 200. */
  status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
  /** Body of the answer; default a JSON object with the result of the verification. */
  body: Type.Optional(Type.String()),
  /** Headers of the answer, for instance `retry-after` or `location`. */
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Replaces the answer. */
  fault: Type.Optional(ReceiverFault),
  latency_ms: Latency,
  /** Number of attempts of a delivery to which this applies; later ones are answered 200. */
  times: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Signing secrets of this path instead of those of the whole scenario. */
  secrets: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
})
export type Behavior = Static<typeof Behavior>

export const ReceiverScenario = object({
  /** Signing secrets, one of which must match. Without secrets, signatures are not checked. */
  secrets: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  /** Maximum age of a signature, and how far ahead it may be, in seconds; default 300. */
  tolerance_s: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Path without query → its behavior. All other paths answer 200. */
  paths: Type.Optional(Type.Record(Type.String(), Behavior)),
})
export type ReceiverScenario = Static<typeof ReceiverScenario>

/** @throws Error with a sentence that names the invalid member */
export const readReceiverScenario = scenarioReader('receiver', ReceiverScenario)

/** A built-in scenario with a path for every way in which an endpoint can fail. */
export const example: ReceiverScenario = {
  paths: {
    '/fail': { status: 500 },
    '/fail-once': { status: 503, times: 1 },
    '/gone': { status: 410 },
    '/busy': { status: 429, headers: { 'retry-after': '30' } },
    '/redirect': {
      status: 302,
      headers: { location: 'https://169.254.169.254/latest/meta-data/' },
    },
    '/slow': { latency_ms: 2_000 },
    '/hang': { fault: 'hang' },
    '/drip': { fault: 'drip_body' },
    '/drip-headers': { fault: 'drip_headers' },
    '/flood': { fault: 'flood' },
    '/reset': { fault: 'reset' },
  },
}
