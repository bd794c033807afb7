/** The scenario of the CAMARA operator emulator: its customers, clients, tokens and faults. */
import { type Static, Type } from 'typebox'
import { HttpFault, Latency, object, scenarioReader } from './scenario.ts'

/** A date (RFC 3339), or a number of hours before now, which keeps a scenario current. */
const Moment = Type.Union([
  Type.String({ format: 'date-time' }),
  Type.Number({ minimum: 0, maximum: 1_000_000 }),
])
export type Moment = Static<typeof Moment>

const Phone = object({
  /** The last SIM swap; absent if there was none. */
  last_swap: Type.Optional(Moment),
  /** The first connection of the SIM card; absent for a number without one. */
  activated: Type.Optional(Moment),
  /** False for customers to whom the service is not offered (422 SERVICE_NOT_APPLICABLE). */
  applicable: Type.Optional(Type.Boolean()),
  latency_ms: Latency,
  fault: Type.Optional(HttpFault),
})
export type Phone = Static<typeof Phone>

const Client = object({
  client_id: Type.String({ minLength: 1 }),
  /** The secret for client_secret_basic and client_secret_post. */
  client_secret: Type.Optional(Type.String({ minLength: 1 })),
  /**
   * Public keys (JWK) for private_key_jwt. `alg` is the algorithm of the signature, default ES256.
   * `kid` is compared when both sides have one.
   */
  public_keys: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
  /** Scopes that the client may request; default all scopes that the emulator knows. */
  scopes: Type.Optional(Type.Array(Type.String())),
})
export type Client = Static<typeof Client>

const Token = object({
  access_token: Type.String({ minLength: 1 }),
  /** Scopes, separated by spaces. */
  scope: Type.String(),
  /** Makes the token three-legged: it identifies the subscription of this number. */
  phone_number: Type.Optional(Type.String({ pattern: String.raw`^\+[1-9][0-9]{4,14}$` })),
  expired: Type.Optional(Type.Boolean()),
})
export type Token = Static<typeof Token>

export const CamaraScenario = object({
  /** Delay of every answer of the API in milliseconds, not of the token endpoint. */
  latency_ms: Latency,
  fault: Type.Optional(HttpFault),
  /** Delay of every answer of the token endpoint in milliseconds. */
  token_latency_ms: Latency,
  /** The fault of every answer of the token endpoint. */
  token_fault: Type.Optional(HttpFault),
  /** Lifetime of an issued token in seconds; default 300. */
  token_lifetime_s: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
  /** Clients that may request two-legged tokens. */
  clients: Type.Array(Client),
  /** Tokens that exist from the start, including three-legged ones. */
  tokens: Type.Optional(Type.Array(Token)),
  /**
   * Days for which this operator may store SIM changes by law. Older changes are answered with
   * null, a longer `maxAge` with OUT_OF_RANGE. Default: no limit.
   */
  monitored_period_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_650 })),
  /** Includes the period in answers, as `monitoredPeriod`; default true. */
  tell_monitored_period: Type.Optional(Type.Boolean()),
  /** Phone number, E.164 with + → subscription. Every other number is IDENTIFIER_NOT_FOUND. */
  phones: Type.Record(Type.String(), Phone),
})
export type CamaraScenario = Static<typeof CamaraScenario>

/** @throws Error with a sentence that names the invalid member */
export const readCamaraScenario = scenarioReader('camara', CamaraScenario)

/** A built-in scenario with a subscription of every kind. */
export const example: CamaraScenario = {
  clients: [{ client_id: 'vigil', client_secret: 'emulated-secret' }],
  tokens: [
    {
      access_token: 'three-legged-token',
      scope: 'openid dpv:FraudPreventionAndDetection sim-swap',
      phone_number: '+12025550101',
    },
    { access_token: 'expired-token', scope: 'sim-swap', expired: true },
  ],
  phones: {
    '+12025550100': { activated: 30_000 },
    '+12025550101': { activated: 30_000, last_swap: 48 },
    '+12025550102': { activated: 30_000, last_swap: 720 },
    '+12025550103': { activated: 24 },
    '+12025550104': {},
    '+12025550105': { applicable: false },
    '+12025550106': { activated: 30_000, latency_ms: 5_000 },
    '+12025550107': { activated: 30_000, fault: '500' },
  },
}
