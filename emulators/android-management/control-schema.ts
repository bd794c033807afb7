/** What the control interface takes, which a test or a page sends. */
import { Ajv } from 'ajv'
import { type Static, type TSchema, Type } from 'typebox'
import { invalid } from './errors.ts'

const Text = Type.String({ minLength: 1, maxLength: 200 })
const Rate = Type.Number({ minimum: 0, maximum: 1 })
const Milliseconds = Type.Integer({ minimum: 0, maximum: 600_000 })
const object = <T extends Record<string, TSchema>>(members: T) =>
  Type.Object(members, { additionalProperties: false })

const Behaviour = {
  is_silent: Type.Optional(Type.Boolean()),
  is_automatic: Type.Optional(Type.Boolean()),
  reaction_ms: Type.Optional(Milliseconds),
}

const Ownership = Type.Optional(
  Type.Union([Type.Literal('COMPANY_OWNED'), Type.Literal('PERSONALLY_OWNED')]),
)

export const SignupRequest = object({
  display_name: Type.Optional(Type.String({ maxLength: 100 })),
})
export type SignupRequest = Static<typeof SignupRequest>

/** Either of `token_value` and `qr_content` is needed. */
export const EnrolRequest = object({
  token_value: Type.Optional(Text),
  qr_content: Type.Optional(Type.String({ maxLength: 4_000 })),
  brand: Type.Optional(Text),
  model: Type.Optional(Text),
  serial_number: Type.Optional(Text),
  android_version: Type.Optional(Type.String({ pattern: '^\\d{1,2}(\\.\\d+)*$' })),
  security_patch_level: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' })),
  ownership: Ownership,
  ...Behaviour,
})
export type EnrolRequest = Static<typeof EnrolRequest>

export const BulkRequest = object({
  token_value: Text,
  count: Type.Integer({ minimum: 1, maximum: 100_000 }),
  per_second: Type.Optional(Type.Number({ minimum: 0.1, maximum: 10_000 })),
  ownership: Ownership,
  ...Behaviour,
})
export type BulkRequest = Static<typeof BulkRequest>

export const PhoneChange = object(Behaviour)
export type PhoneChange = Static<typeof PhoneChange>

/** As Google's names for settings have it: `passwordPolicies`, `applications`. */
export const Violation = object({
  setting_name: Text,
  /** `nonComplianceReason`; default `USER_ACTION`. */
  reason: Type.Optional(
    Type.Union([
      Type.Literal('API_LEVEL'),
      Type.Literal('MANAGEMENT_MODE'),
      Type.Literal('USER_ACTION'),
      Type.Literal('INVALID_VALUE'),
      Type.Literal('APP_NOT_INSTALLED'),
      Type.Literal('UNSUPPORTED'),
      Type.Literal('APP_INSTALLED'),
      Type.Literal('PENDING'),
      Type.Literal('APP_INCOMPATIBLE'),
      Type.Literal('APP_NOT_UPDATED'),
      Type.Literal('DEVICE_INCOMPATIBLE'),
      Type.Literal('APP_SIGNING_CERT_MISMATCH'),
      Type.Literal('PROJECT_NOT_PERMITTED'),
    ]),
  ),
  package_name: Type.Optional(Text),
  field_path: Type.Optional(Text),
})
export type Violation = Static<typeof Violation>

export const Repair = object({ setting_name: Type.Optional(Text) })
export type Repair = Static<typeof Repair>

export const CommandFailure = object({
  error_code: Type.Union([
    Type.Literal('UNKNOWN'),
    Type.Literal('API_LEVEL'),
    Type.Literal('MANAGEMENT_MODE'),
    Type.Literal('INVALID_VALUE'),
    Type.Literal('UNSUPPORTED'),
  ]),
})
export type CommandFailure = Static<typeof CommandFailure>

export const Faults = object({
  /** Added to every answer of the APIs. */
  latency_ms: Type.Optional(Milliseconds),
  /** Share of calls of the APIs that are refused before anything is done. */
  error_rate: Type.Optional(Rate),
  /** Share of calls that are carried out and whose connection is torn down before the answer. */
  lost_answer_rate: Type.Optional(Rate),
  /** Default 503. */
  error_status: Type.Optional(Type.Union([Type.Literal(429), Type.Literal(503)])),
  notifications: Type.Optional(
    object({
      lost_rate: Type.Optional(Rate),
      duplicate_rate: Type.Optional(Rate),
      /** Share of notifications that come after the next one. */
      reorder_rate: Type.Optional(Rate),
    }),
  ),
  /** Connections to the APIs are torn down. */
  away: Type.Optional(Type.Boolean()),
  /** Of the chance by which the rates are decided; it begins anew whenever faults are set. */
  seed: Type.Optional(Type.Integer()),
})
export type Faults = Static<typeof Faults>

export const ClockRequest = object({
  advance_seconds: Type.Number({ minimum: 0, maximum: 315_360_000 }),
})
export type ClockRequest = Static<typeof ClockRequest>

/** A reader of a body: the value itself when it fits the schema. */
export function readerOf<T extends TSchema>(schema: T): (value: unknown) => Static<T> {
  const validate = new Ajv().compile(schema)
  return (value) => {
    if (validate(value)) return value as Static<T>
    const [error] = validate.errors ?? []
    const member = (error?.instancePath ?? '').slice(1).replaceAll('/', '.') || 'the body'
    const extra: Record<string, unknown> = error?.params ?? {}
    const unknown = extra['additionalProperty']
    const named = typeof unknown === 'string' ? `: ${unknown}` : ''
    throw invalid(`${member} ${error?.message ?? 'is not valid'}${named}`)
  }
}
