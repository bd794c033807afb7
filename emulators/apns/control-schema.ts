/** The bodies that the control interface of the APNs emulator accepts. */
import { type Static, Type } from 'typebox'
import { readerOf } from '../control-schema.ts'
import { denialOf, errorFaults, TRANSPORT_FAULTS } from '../push-faults.ts'
import { object, oneOf } from '../scenario.ts'
import { type ApnsReason, REASONS } from './reasons.ts'

const Reason = oneOf(...(Object.keys(REASONS) as ApnsReason[]))
const BundleId = Type.String({ pattern: '^[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+$', maxLength: 155 })
/** The form of team ids and key ids. */
const TenCharacters = Type.String({ pattern: '^[A-Z0-9]{10}$' })
const Environment = oneOf('production', 'sandbox')
export type ApnsEnvironment = Static<typeof Environment>

const KeyRequest = object({
  key_id: Type.Optional(TenCharacters),
  team_id: Type.Optional(TenCharacters),
  /** A P-256 key, PKCS #8 in PEM, the form of Apple's .p8 files; default a new one. */
  private_key: Type.Optional(Type.String({ maxLength: 2_000 })),
  /** Environments in which the key is valid; default both. */
  environments: Type.Optional(Type.Array(Environment, { minItems: 1, maxItems: 2 })),
  /** Bundle ids to which the key is restricted; null, the default, allows all of the team. */
  topics: Type.Optional(Type.Union([Type.Array(BundleId, { maxItems: 400 }), Type.Null()])),
})
export type ApnsKeyRequest = Static<typeof KeyRequest>
/** A signing key with its ids, which an operator uploads. */
export type ApnsKey = Required<ApnsKeyRequest> & { is_revoked: boolean }

const KeyChange = object({
  is_revoked: Type.Optional(Type.Boolean()),
  environments: Type.Optional(Type.Array(Environment, { minItems: 1, maxItems: 2 })),
})
export type ApnsKeyChange = Static<typeof KeyChange>

const PhoneRequest = object({
  bundle_id: Type.Optional(BundleId),
  /** The team that owns the bundle id. */
  team_id: Type.Optional(TenCharacters),
  /** The token of the phone before the emulator was restarted; default a new one. */
  token: Type.Optional(Type.String({ pattern: '^[0-9a-f]+$', maxLength: 200 })),
})
export type ApnsPhoneRequest = Static<typeof PhoneRequest>

const BulkRequest = object({
  count: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  bundle_id: Type.Optional(BundleId),
  team_id: Type.Optional(TenCharacters),
})

const Gone = object({
  reason: oneOf('Unregistered', 'ExpiredToken'),
  /** Time since which the token is invalid, in milliseconds; default now. */
  timestamp_ms: Type.Optional(Type.Integer({ minimum: 0 })),
})

const PhoneChange = object({
  /** Makes the token invalid; null makes it valid again. */
  gone: Type.Optional(Type.Union([Gone, Type.Null()])),
  denial: Type.Optional(Type.Union([denialOf(Reason), Type.Null()])),
})
export type ApnsPhoneChange = Static<typeof PhoneChange>

const Faults = object({ ...TRANSPORT_FAULTS, errors: errorFaults(Reason, 50) })
export type ApnsFaults = Static<typeof Faults>

const Quotas = object({
  /** Streams of a connection that has shown a valid token; before that, it has one. */
  streams_max: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  /** Messages to one token per minute; null is no limit. */
  messages_per_device_per_minute: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  ),
  /** New provider tokens of one key in 20 minutes; null is no limit. */
  token_updates_max: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
  /** Criterion for a new provider token: another `iat`, or another signature of the same claims. */
  tokens_differ_by: Type.Optional(oneOf('iat', 'signature')),
})
export type ApnsQuotas = Static<typeof Quotas>

export const read = {
  key: readerOf(KeyRequest),
  keyChange: readerOf(KeyChange),
  phone: readerOf(PhoneRequest),
  bulk: readerOf(BulkRequest),
  change: readerOf(PhoneChange),
  faults: readerOf(Faults),
  quotas: readerOf(Quotas),
}
