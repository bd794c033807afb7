/** What the control interface of the FCM emulator takes. */
import { type Static, Type } from 'typebox'
import { readerOf } from '../android-management/control-schema.ts'
import { Milliseconds, object, Rate, Seconds, TRANSPORT_FAULTS } from '../push-faults.ts'

const Text = Type.String({ minLength: 1, maxLength: 200 })
const ProjectId = Type.String({ pattern: '^[a-z][a-z0-9-]{4,28}[a-z0-9]$' })

/** https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode */
const ErrorCode = Type.Union([
  Type.Literal('UNSPECIFIED_ERROR'),
  Type.Literal('INVALID_ARGUMENT'),
  Type.Literal('UNREGISTERED'),
  Type.Literal('SENDER_ID_MISMATCH'),
  Type.Literal('QUOTA_EXCEEDED'),
  Type.Literal('UNAVAILABLE'),
  Type.Literal('INTERNAL'),
  Type.Literal('THIRD_PARTY_AUTH_ERROR'),
])
export type FcmErrorCode = Static<typeof ErrorCode>

/** What befalls every message to a phone; `times` of them, all without it. */
const Denial = object({
  code: Type.Union([
    ErrorCode,
    Type.Literal('hang'),
    Type.Literal('reset_connection'),
    Type.Literal('lost_answer'),
  ]),
  retry_after_s: Type.Optional(Seconds),
  times: Type.Optional(Type.Integer({ minimum: 1 })),
})
export type FcmDenial = Static<typeof Denial>

const PhoneRequest = object({
  /** Default: the emulator's own project. */
  project_id: Type.Optional(ProjectId),
  package_name: Type.Optional(Text),
  /** That the phone had before the emulator was restarted; default: a new one. */
  token: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096 })),
})
export type FcmPhoneRequest = Static<typeof PhoneRequest>

const BulkRequest = object({
  count: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  project_id: Type.Optional(ProjectId),
  package_name: Type.Optional(Text),
})

const PhoneChange = object({
  /** False: the app was removed, and its token is dead from now on. */
  is_registered: Type.Optional(Type.Boolean()),
  denial: Type.Optional(Type.Union([Denial, Type.Null()])),
})
export type FcmPhoneChange = Static<typeof PhoneChange>

const Account = object({
  type: Type.Literal('service_account'),
  project_id: ProjectId,
  private_key_id: Text,
  private_key: Type.String({ maxLength: 10_000 }),
  client_email: Text,
  token_uri: Text,
})

const Faults = object({
  ...TRANSPORT_FAULTS,
  errors: Type.Optional(
    Type.Array(object({ code: ErrorCode, rate: Rate, retry_after_s: Type.Optional(Seconds) }), {
      maxItems: 20,
    }),
  ),
  /** What the token endpoint answers to everybody. */
  token_error: Type.Optional(
    Type.Union([
      Type.Literal('invalid_grant'),
      Type.Literal('invalid_scope'),
      Type.Literal('unavailable'),
    ]),
  ),
  token_latency_ms: Type.Optional(Milliseconds),
})
export type FcmFaults = Static<typeof Faults>

const Quotas = object({
  /** Requests of a project a minute that the minute's first one begins; null: no limit. */
  messages_per_minute: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
  /** SETTINGS_MAX_CONCURRENT_STREAMS. */
  streams_max: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
})
export type FcmQuotas = Static<typeof Quotas>

export const read = {
  phone: readerOf(PhoneRequest),
  bulk: readerOf(BulkRequest),
  change: readerOf(PhoneChange),
  account: readerOf(Account),
  faults: readerOf(Faults),
  quotas: readerOf(Quotas),
}
