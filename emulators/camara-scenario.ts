/** What the CAMARA operator emulator knows of its customers, its clients and its own faults. */
import { type Static, Type } from 'typebox'
import { HttpFault, Latency, scenarioReader } from './scenario.ts'

/** A date of RFC 3339, or a number of hours before now, which keeps a scenario fresh for ever. */
const Moment = Type.Union([
  Type.String({ format: 'date-time' }),
  Type.Number({ minimum: 0, maximum: 1_000_000 }),
])
export type Moment = Static<typeof Moment>

const Phone = Type.Object(
  {
    /** The last SIM swap; left out when there never was one. */
    last_swap: Type.Optional(Moment),
    /** The first connection of the SIM; left out for a number without a SIM card. */
    activated: Type.Optional(Moment),
    /** False for customers that the service is not offered to (422 SERVICE_NOT_APPLICABLE). */
    applicable: Type.Optional(Type.Boolean()),
    /** Overrides the latency of the whole scenario. */
    latency_ms: Latency,
    /** Overrides the fault of the whole scenario. */
    fault: Type.Optional(HttpFault),
  },
  { additionalProperties: false },
)
export type Phone = Static<typeof Phone>

const Client = Type.Object(
  {
    client_id: Type.String({ minLength: 1 }),
    /** For client_secret_basic and client_secret_post. */
    client_secret: Type.Optional(Type.String({ minLength: 1 })),
    /**
     * Public keys (JWK) for private_key_jwt. `alg` is what they sign with, ES256 when left out;
     * `kid` is matched when both sides have one.
     */
    public_keys: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
    /** Scopes that the client may ask for; all that the emulator knows when left out. */
    scopes: Type.Optional(Type.Array(Type.String())),
  },
  { additionalProperties: false },
)
export type Client = Static<typeof Client>

const Token = Type.Object(
  {
    /** The bearer value. */
    access_token: Type.String({ minLength: 1 }),
    /** Scopes separated by spaces. */
    scope: Type.String(),
    /** Makes the token three-legged: it identifies this subscription. */
    phone_number: Type.Optional(Type.String({ pattern: String.raw`^\+[1-9][0-9]{4,14}$` })),
    /** True for a token whose time is over. */
    expired: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
export type Token = Static<typeof Token>

export const CamaraScenario = Type.Object(
  {
    /** Wait before every answer of the API (not of the token endpoint), in milliseconds. */
    latency_ms: Latency,
    /** What goes wrong with every answer of the API. */
    fault: Type.Optional(HttpFault),
    /** Wait before every answer of the token endpoint, in milliseconds. */
    token_latency_ms: Latency,
    /** What goes wrong with every answer of the token endpoint. */
    token_fault: Type.Optional(HttpFault),
    /** Seconds that an issued token lives; 300 when left out. */
    token_lifetime_s: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
    /** Clients that may ask for two-legged tokens. */
    clients: Type.Array(Client),
    /** Tokens that exist from the start, three-legged ones among them. */
    tokens: Type.Optional(Type.Array(Token)),
    /**
     * Days for which the law lets this operator keep SIM changes. Older ones are answered with
     * null, a `maxAge` beyond them with OUT_OF_RANGE. No limit when left out.
     */
    monitored_period_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_650 })),
    /** Whether the period is told in `monitoredPeriod`; true when left out. */
    tell_monitored_period: Type.Optional(Type.Boolean()),
    /** Phone number (E.164 with +) → subscription. Every other number is IDENTIFIER_NOT_FOUND. */
    phones: Type.Record(Type.String(), Phone),
  },
  { additionalProperties: false },
)
export type CamaraScenario = Static<typeof CamaraScenario>

/** Throws a sentence that names the bad member. */
export const readCamaraScenario = scenarioReader('camara', CamaraScenario)

/** One subscription of every kind, so that the emulator is of use without a file. */
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
