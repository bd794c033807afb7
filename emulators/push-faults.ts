/** The faults of the push emulators: of the connection, and the errors of a provider. */
import { type Static, type TSchema, Type } from 'typebox'
import { Milliseconds, Rate, Seconds } from './control-schema.ts'
import type { GoawayPlan } from './http2-streams.ts'
import type { WireFault } from './http2-wire.ts'
import { createRandom } from './random.ts'
import { object } from './scenario.ts'

/**
 * Rates are shares of the requests that send messages. The token endpoint and the control interface
 * have no faults of these kinds.
 */
export const TRANSPORT_FAULTS = {
  /** Added to the latency of every answer. */
  latency_ms: Type.Optional(Milliseconds),
  /** Every connection is reset: the provider is unavailable. */
  unreachable: Type.Optional(Type.Boolean()),
  /** The message is not sent, and the request is never answered. */
  hang_rate: Type.Optional(Rate),
  /** The message is not sent, and the connection is reset with all its streams. */
  reset_rate: Type.Optional(Rate),
  /** The message is not sent; INTERNAL_ERROR resets the stream and leaves that open. */
  reset_stream_rate: Type.Optional(Rate),
  /** The message is not sent; REFUSED_STREAM resets the stream and says so. */
  refuse_stream_rate: Type.Optional(Rate),
  /** The message is sent, and the connection is reset before the answer. */
  lost_answer_rate: Type.Optional(Rate),
  /** The message is sent, and the stream is reset before the answer. */
  lost_stream_rate: Type.Optional(Rate),
  /** Each connection sends GOAWAY after this number of streams, with a reason as APNs does. */
  goaway: Type.Optional(
    object({
      after_streams: Type.Integer({ minimum: 1 }),
      reason: Type.Optional(Type.String({ maxLength: 100 })),
    }),
  ),
  /** Seed of the random numbers that decide; they restart whenever faults are set. */
  seed: Type.Optional(Type.Integer()),
} as const

/** Errors of the provider that affect a share of the messages. */
export const errorFaults = <T extends TSchema>(code: T, maxItems: number) =>
  Type.Optional(
    Type.Array(object({ code, rate: Rate, retry_after_s: Type.Optional(Seconds) }), { maxItems }),
  )

/** A fault of all messages to one phone, or of the next `times` messages. */
export const denialOf = <T extends TSchema>(code: T) =>
  object({
    code: Type.Union([
      code,
      Type.Literal('hang'),
      Type.Literal('reset_connection'),
      Type.Literal('lost_answer'),
    ]),
    retry_after_s: Type.Optional(Seconds),
    times: Type.Optional(Type.Integer({ minimum: 1 })),
  })

export type ConnectionDenial = 'hang' | 'reset_connection' | 'lost_answer'

export type Denial<Code extends string> = {
  code: Code | ConnectionDenial
  retry_after_s?: number
  times?: number
}

type RateName = Extract<keyof typeof TRANSPORT_FAULTS, `${string}_rate`>

/** `retry_after_s` is the value of the Retry-After header. */
export type ErrorFault<Code extends string> = { code: Code; rate: number; retry_after_s?: number }

export type PushFaults<Code extends string> = Static<
  ReturnType<typeof object<typeof TRANSPORT_FAULTS>>
> & { errors?: ErrorFault<Code>[] }

export type FaultSource<Faults, Code extends string> = {
  get: () => Faults
  set: (faults: Faults) => void
  latencyMs: () => number
  /** Returns the fault of a message that is not processed. */
  before: () => WireFault | ErrorFault<Code> | undefined
  /** Returns the fault of the answer to a message that was accepted. */
  after: () => WireFault | undefined
  goaway: () => GoawayPlan | undefined
}

const BEFORE: readonly (readonly [RateName, WireFault])[] = [
  ['hang_rate', 'hang'],
  ['reset_rate', 'reset_connection'],
  ['reset_stream_rate', 'reset_stream'],
  ['refuse_stream_rate', 'refuse_stream'],
]
const AFTER: readonly (readonly [RateName, WireFault])[] = [
  ['lost_answer_rate', 'reset_connection'],
  ['lost_stream_rate', 'reset_stream'],
]

export function createPushFaults<Code extends string, Faults extends PushFaults<Code>>(
  none: Faults,
): FaultSource<Faults, Code> {
  let faults = none
  let random = createRandom(1)
  const occurs = (rate: number | undefined): boolean => (rate ?? 0) > 0 && random() < (rate ?? 0)
  const first = (list: typeof BEFORE) => list.find(([rate]) => occurs(faults[rate]))?.[1]
  return {
    get: () => faults,
    set: (next) => {
      faults = next
      random = createRandom(next.seed ?? 1)
    },
    latencyMs: () => faults.latency_ms ?? 0,
    before: () => {
      if (faults.unreachable === true) return 'reset_connection'
      return first(BEFORE) ?? faults.errors?.find(({ rate }) => occurs(rate))
    },
    after: () => first(AFTER),
    goaway: () => {
      const { goaway } = faults
      if (goaway === undefined) return undefined
      const { after_streams, reason } = goaway
      return { after_streams, ...(reason !== undefined && { debug: JSON.stringify({ reason }) }) }
    },
  }
}

/**
 * Applies the denial of a phone to a message and counts it.
 * @param errorOf creates the error that a denial with a code of the provider throws
 * @returns the fault of the connection, if that is what the denial demands
 */
export function applyDenial<Code extends string>(
  phone: { denial: Denial<Code> | null },
  errorOf: (code: Code, retryAfterS: number | undefined) => Error,
): ConnectionDenial | undefined {
  const { denial } = phone
  if (denial === null) return undefined
  if (denial.times !== undefined) {
    denial.times -= 1
    if (denial.times <= 0) phone.denial = null
  }
  const { code, retry_after_s } = denial
  if (isConnectionDenial(code)) return code
  throw errorOf(code, retry_after_s)
}

const isConnectionDenial = (code: string): code is ConnectionDenial =>
  code === 'hang' || code === 'reset_connection' || code === 'lost_answer'
