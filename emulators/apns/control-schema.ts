/** What the control interface of the APNs emulator takes. */
import { type Static, Type } from 'typebox'
import { readerOf } from '../android-management/control-schema.ts'
import { object, Rate, Seconds, TRANSPORT_FAULTS } from '../push-faults.ts'
import { type ApnsReason, REASONS } from './reasons.ts'

const Reason = Type.Union(
  (Object.keys(REASONS) as ApnsReason[]).map((reason) => Type.Literal(reason)),
)
const BundleId = Type.String({ pattern: '^[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+$', maxLength: 155 })
/** Of teams and of keys. */
const TenCharacters = Type.String({ pattern: '^[A-Z0-9]{10}$' })
const Environment = Type.Union([Type.Literal('production'), Type.Literal('sandbox')])
export type ApnsEnvironment = Static<typeof Environment>

const KeyRequest = object({
  key_id: Type.Optional(TenCharacters),
  team_id: Type.Optional(TenCharacters),
  /** PEM of PKCS #8, P-256, as in Apple's .p8; default: a new one. */
  private_key: Type.Optional(Type.String({ maxLength: 2_000 })),
  /** Where the key is good; default both. */
  environments: Type.Optional(Type.Array(Environment, { minItems: 1, maxItems: 2 })),
  /** Bundle ids that the key is for; null (default): all of the team. */
  topics: Type.Optional(Type.Union([Type.Array(BundleId, { maxItems: 400 }), Type.Null()])),
})
export type ApnsKeyRequest = Static<typeof KeyRequest>

const KeyChange = object({
  is_revoked: Type.Optional(Type.Boolean()),
  environments: Type.Optional(Type.Array(Environment, { minItems: 1, maxItems: 2 })),
})
export type ApnsKeyChange = Static<typeof KeyChange>

const PhoneRequest = object({
  bundle_id: Type.Optional(BundleId),
  /** To whom the bundle id belongs; it is known from then on. */
  team_id: Type.Optional(TenCharacters),
  /** That the phone had before the emulator was restarted; default: a new one. */
  token: Type.Optional(Type.String({ pattern: '^[0-9a-f]+$', maxLength: 200 })),
})
export type ApnsPhoneRequest = Static<typeof PhoneRequest>

const BulkRequest = object({
  count: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  bundle_id: Type.Optional(BundleId),
  team_id: Type.Optional(TenCharacters),
})

/** What befalls every message to a phone; `times` of them, all without it. */
const Denial = object({
  code: Type.Union([
    Reason,
    Type.Literal('hang'),
    Type.Literal('reset_connection'),
    Type.Literal('lost_answer'),
  ]),
  retry_after_s: Type.Optional(Seconds),
  times: Type.Optional(Type.Integer({ minimum: 1 })),
})
export type ApnsDenial = {
  code: ApnsReason | 'hang' | 'reset_connection' | 'lost_answer'
  retry_after_s?: number
  times?: number
}

const Gone = object({
  reason: Type.Union([Type.Literal('Unregistered'), Type.Literal('ExpiredToken')]),
  /** Since when, in milliseconds; default now. */
  timestamp_ms: Type.Optional(Type.Integer({ minimum: 0 })),
})

const PhoneChange = object({
  /** The token is dead; null brings it back. */
  gone: Type.Optional(Type.Union([Gone, Type.Null()])),
  denial: Type.Optional(Type.Union([Denial, Type.Null()])),
})
export type ApnsPhoneChange = {
  gone?: Static<typeof Gone> | null
  denial?: ApnsDenial | null
}

const Faults = object({
  ...TRANSPORT_FAULTS,
  errors: Type.Optional(
    Type.Array(object({ code: Reason, rate: Rate, retry_after_s: Type.Optional(Seconds) }), {
      maxItems: 50,
    }),
  ),
})
export type ApnsFaults = Omit<Static<typeof Faults>, 'errors'> & {
  errors?: { code: ApnsReason; rate: number; retry_after_s?: number }[]
}

const Quotas = object({
  /** Streams of a connection that has shown a good token; before, it is one. */
  streams_max: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  /** Messages to one token a minute; null: no limit. */
  messages_per_device_per_minute: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  ),
  /** New provider tokens of one key in 20 minutes; null: no limit. */
  token_updates_max: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
  /** What makes a provider token a new one: another `iat`, or another signature over the same. */
  tokens_differ_by: Type.Optional(Type.Union([Type.Literal('iat'), Type.Literal('signature')])),
})
export type ApnsQuotas = Static<typeof Quotas>

export const read = {
  key: readerOf(KeyRequest),
  keyChange: readerOf(KeyChange),
  phone: readerOf(PhoneRequest),
  bulk: readerOf(BulkRequest),
  change: (value: unknown) => readChange(value) as ApnsPhoneChange,
  faults: (value: unknown) => readFaults(value) as ApnsFaults,
  quotas: readerOf(Quotas),
}
const readChange = readerOf(PhoneChange)
const readFaults = readerOf(Faults)
