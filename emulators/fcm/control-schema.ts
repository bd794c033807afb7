/** The bodies that the control interface of the FCM emulator accepts. */
import { type Static, Type } from 'typebox'
import { Milliseconds, readerOf, Text } from '../control-schema.ts'
import { denialOf, errorFaults, TRANSPORT_FAULTS } from '../push-faults.ts'
import { object, oneOf } from '../scenario.ts'
import { type FcmErrorCode, WORDINGS } from './errors.ts'

const ProjectId = Type.String({ pattern: '^[a-z][a-z0-9-]{4,28}[a-z0-9]$' })

const ErrorCode = oneOf(...(Object.keys(WORDINGS) as FcmErrorCode[]))

const PhoneRequest = object({
  /** Default: the project of the emulator. */
  project_id: Type.Optional(ProjectId),
  package_name: Type.Optional(Text),
  /** The token of the phone before the emulator was restarted; default a new one. */
  token: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096 })),
})
export type FcmPhoneRequest = Static<typeof PhoneRequest>

const BulkRequest = object({
  count: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  project_id: Type.Optional(ProjectId),
  package_name: Type.Optional(Text),
})

const PhoneChange = object({
  /** False: the app was removed, and its token is no longer registered. */
  is_registered: Type.Optional(Type.Boolean()),
  denial: Type.Optional(Type.Union([denialOf(ErrorCode), Type.Null()])),
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
  errors: errorFaults(ErrorCode, 20),
  /** The error of every request to the token endpoint. */
  token_error: Type.Optional(oneOf('invalid_grant', 'invalid_scope', 'unavailable')),
  token_latency_ms: Type.Optional(Milliseconds),
})
export type FcmFaults = Static<typeof Faults>

const Quotas = object({
  /** Requests of a project in the minute that starts with its first request; null is no limit. */
  messages_per_minute: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
  /** SETTINGS_MAX_CONCURRENT_STREAMS. */
  streams_max: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
})
export type FcmQuotas = Static<typeof Quotas>

export const read = {
  project: readerOf(object({ project_id: Type.Optional(ProjectId) })),
  phone: readerOf(PhoneRequest),
  bulk: readerOf(BulkRequest),
  change: readerOf(PhoneChange),
  account: readerOf(Account),
  faults: readerOf(Faults),
  quotas: readerOf(Quotas),
}
