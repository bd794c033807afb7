/** What the webhook receiver knows and how it misbehaves, per path. */
import { type Static, Type } from 'typebox'
import { Latency, scenarioReader } from './scenario.ts'

/**
 * `hang`: the connection stays open and silent. `drip_headers`, `drip_body`: a byte now and then
 * without end, in the headers or after them. `flood`: a body without end, as fast as it is read.
 * `reset`: the connection is torn down.
 */
const ReceiverFault = Type.Union([
  Type.Literal('hang'),
  Type.Literal('drip_headers'),
  Type.Literal('drip_body'),
  Type.Literal('flood'),
  Type.Literal('reset'),
])

const Behaviour = Type.Object(
  {
    /** Status of the answer, 200 when left out. */
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
    /** Body of the answer; a JSON object that says what was received when left out. */
    body: Type.Optional(Type.String()),
    /** Headers of the answer, for instance `retry-after` or `location`. */
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    /** How the answer goes wrong. */
    fault: Type.Optional(ReceiverFault),
    /** Wait before the answer. */
    latency_ms: Latency,
    /** Only the first so many deliveries of an event are treated so, the next are answered 200. */
    times: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Signing secrets of this path instead of those of the whole scenario. */
    secrets: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  },
  { additionalProperties: false },
)
export type Behaviour = Static<typeof Behaviour>

export const ReceiverScenario = Type.Object(
  {
    /** Signing secrets; one that matches suffices. Without any, signatures are not checked. */
    secrets: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    /** How far the time of a signature may be off, in seconds; 300 when left out. */
    tolerance_s: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Path without query → what happens there. All other paths answer 200. */
    paths: Type.Optional(Type.Record(Type.String(), Behaviour)),
  },
  { additionalProperties: false },
)
export type ReceiverScenario = Static<typeof ReceiverScenario>

/** Throws a sentence that names the bad member. */
export const readReceiverScenario = scenarioReader('receiver', ReceiverScenario)

/** A path for every way in which an endpoint can be trouble. */
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
