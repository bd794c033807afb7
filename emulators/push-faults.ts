/** Trouble on purpose, by chance that repeats: of the connection, and errors in a provider's own words. */
import { type TSchema, Type } from 'typebox'
import { createRandom } from './android-management/random.ts'
import type { GoawayPlan } from './http2-streams.ts'
import type { WireFault } from './http2-wire.ts'

export const Rate = Type.Number({ minimum: 0, maximum: 1 })
export const Milliseconds = Type.Integer({ minimum: 0, maximum: 600_000 })
export const Seconds = Type.Integer({ minimum: 0, maximum: 86_400 })

export const object = <T extends Record<string, TSchema>>(members: T) =>
  Type.Object(members, { additionalProperties: false })

/** Shares of the requests for messages; the token endpoint and the control interface are spared. */
export const TRANSPORT_FAULTS = {
  /** Added to every answer. */
  latency_ms: Type.Optional(Milliseconds),
  /** Connections are torn down. */
  away: Type.Optional(Type.Boolean()),
  /** Not carried out, and never answered. */
  hang_rate: Type.Optional(Rate),
  /** Not carried out; the connection is reset with all its streams. */
  reset_rate: Type.Optional(Rate),
  /** Not carried out; the stream is reset with INTERNAL_ERROR, which does not say so. */
  reset_stream_rate: Type.Optional(Rate),
  /** Not carried out; the stream is reset with REFUSED_STREAM, which says so. */
  refuse_stream_rate: Type.Optional(Rate),
  /** Carried out; the connection is reset before the answer. */
  lost_answer_rate: Type.Optional(Rate),
  /** Carried out; the stream is reset before the answer. */
  lost_stream_rate: Type.Optional(Rate),
  /** Every connection serves so many streams and says GOAWAY; `reason` goes along, as APNs has it. */
  goaway: Type.Optional(
    object({
      after_streams: Type.Integer({ minimum: 1 }),
      reason: Type.Optional(Type.String({ maxLength: 100 })),
    }),
  ),
  /** Of the chance by which the rates are decided; it begins anew whenever faults are set. */
  seed: Type.Optional(Type.Integer()),
} as const

type Rates =
  | 'hang_rate'
  | 'reset_rate'
  | 'reset_stream_rate'
  | 'refuse_stream_rate'
  | 'lost_answer_rate'
  | 'lost_stream_rate'

/** An error in the provider's words that befalls a share of the messages. */
export type ErrorFault<Code extends string> = {
  code: Code
  rate: number
  /** Told by Retry-After. */
  retry_after_s?: number
}

export type PushFaults<Code extends string> = {
  [Key in Rates]?: number
} & {
  latency_ms?: number
  away?: boolean
  goaway?: { after_streams: number; reason?: string }
  seed?: number
  errors?: ErrorFault<Code>[]
}

export type FaultSource<Faults, Code extends string> = {
  get: () => Faults
  set: (faults: Faults) => void
  latencyMs: () => number
  /** What befalls a message before anything is done with it. */
  before: () => WireFault | ErrorFault<Code> | undefined
  /** What befalls the answer to a message that was accepted. */
  after: () => WireFault | undefined
  goaway: () => GoawayPlan | undefined
}

const BEFORE: readonly (readonly [Rates, WireFault])[] = [
  ['hang_rate', 'hang'],
  ['reset_rate', 'reset_connection'],
  ['reset_stream_rate', 'reset_stream'],
  ['refuse_stream_rate', 'refuse_stream'],
]
const AFTER: readonly (readonly [Rates, WireFault])[] = [
  ['lost_answer_rate', 'reset_connection'],
  ['lost_stream_rate', 'reset_stream'],
]

export function createPushFaults<Code extends string, Faults extends PushFaults<Code>>(
  none: Faults,
): FaultSource<Faults, Code> {
  let faults = none
  let random = createRandom(1)
  const happens = (rate: number | undefined): boolean => (rate ?? 0) > 0 && random() < (rate ?? 0)
  const first = (list: typeof BEFORE) => list.find(([rate]) => happens(faults[rate]))?.[1]
  return {
    get: () => faults,
    set: (next) => {
      faults = next
      random = createRandom(next.seed ?? 1)
    },
    latencyMs: () => faults.latency_ms ?? 0,
    before: () => {
      if (faults.away === true) return 'reset_connection'
      return first(BEFORE) ?? faults.errors?.find(({ rate }) => happens(rate))
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
