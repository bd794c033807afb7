/** The bodies that the control interface of the Android Management emulator accepts. */
import { type Static, Type } from 'typebox'
import { Milliseconds, Rate, readerOf, Text } from '../control-schema.ts'
import { object, oneOf } from '../scenario.ts'

const BEHAVIOR = {
  is_silent: Type.Optional(Type.Boolean()),
  is_automatic: Type.Optional(Type.Boolean()),
  reaction_ms: Type.Optional(Milliseconds),
}

const Ownership = Type.Optional(oneOf('COMPANY_OWNED', 'PERSONALLY_OWNED'))

const SignupRequest = object({ display_name: Type.Optional(Type.String({ maxLength: 100 })) })
export type SignupRequest = Static<typeof SignupRequest>

/** Either `token_value` or `qr_content` is required. */
const EnrollRequest = object({
  token_value: Type.Optional(Text),
  qr_content: Type.Optional(Type.String({ maxLength: 4_000 })),
  brand: Type.Optional(Text),
  model: Type.Optional(Text),
  serial_number: Type.Optional(Text),
  android_version: Type.Optional(Type.String({ pattern: '^\\d{1,2}(\\.\\d+)*$' })),
  security_patch_level: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' })),
  ownership: Ownership,
  ...BEHAVIOR,
})
export type EnrollRequest = Static<typeof EnrollRequest>

const BulkRequest = object({
  token_value: Text,
  count: Type.Integer({ minimum: 1, maximum: 100_000 }),
  per_second: Type.Optional(Type.Number({ minimum: 0.1, maximum: 10_000 })),
  ownership: Ownership,
  ...BEHAVIOR,
})
export type BulkRequest = Static<typeof BulkRequest>

const PhoneChange = object(BEHAVIOR)
export type PhoneChange = Static<typeof PhoneChange>

const Violation = object({
  /** Name of the setting in Google's API: `passwordPolicies`, `applications`. */
  setting_name: Text,
  /** `nonComplianceReason`; default `USER_ACTION`. */
  reason: Type.Optional(
    oneOf(
      'API_LEVEL',
      'MANAGEMENT_MODE',
      'USER_ACTION',
      'INVALID_VALUE',
      'APP_NOT_INSTALLED',
      'UNSUPPORTED',
      'APP_INSTALLED',
      'PENDING',
      'APP_INCOMPATIBLE',
      'APP_NOT_UPDATED',
      'DEVICE_INCOMPATIBLE',
      'APP_SIGNING_CERT_MISMATCH',
      'PROJECT_NOT_PERMITTED',
    ),
  ),
  package_name: Type.Optional(Text),
  field_path: Type.Optional(Text),
})
export type Violation = Static<typeof Violation>

const Repair = object({ setting_name: Type.Optional(Text) })
export type Repair = Static<typeof Repair>

const CommandFailure = object({
  error_code: oneOf('UNKNOWN', 'API_LEVEL', 'MANAGEMENT_MODE', 'INVALID_VALUE', 'UNSUPPORTED'),
})
export type CommandFailure = Static<typeof CommandFailure>

const Faults = object({
  /** Added to the latency of every answer of the APIs. */
  latency_ms: Type.Optional(Milliseconds),
  /** Share of API calls that are refused before they are carried out. */
  error_rate: Type.Optional(Rate),
  /** Share of API calls that are carried out and whose connection is reset before the answer. */
  lost_answer_rate: Type.Optional(Rate),
  /** Status of refused calls; default 503. */
  error_status: Type.Optional(Type.Union([Type.Literal(429), Type.Literal(503)])),
  notifications: Type.Optional(
    object({
      lost_rate: Type.Optional(Rate),
      duplicate_rate: Type.Optional(Rate),
      /** Share of notifications that are delivered after the next one. */
      reorder_rate: Type.Optional(Rate),
    }),
  ),
  /** Every connection to the APIs is reset: Google is unavailable. */
  unreachable: Type.Optional(Type.Boolean()),
  /** Seed of the random numbers that decide; they restart whenever faults are set. */
  seed: Type.Optional(Type.Integer()),
})
export type Faults = Static<typeof Faults>

const ClockRequest = object({ advance_seconds: Type.Number({ minimum: 0, maximum: 315_360_000 }) })
export type ClockRequest = Static<typeof ClockRequest>

export const read = {
  signup: readerOf(SignupRequest),
  enroll: readerOf(EnrollRequest),
  bulk: readerOf(BulkRequest),
  change: readerOf(PhoneChange),
  violation: readerOf(Violation),
  repair: readerOf(Repair),
  failure: readerOf(CommandFailure),
  faults: readerOf(Faults),
  clock: readerOf(ClockRequest),
}
