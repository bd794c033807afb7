/** Contract of the check operations (specification, "Check"). */
import { type Static, Type } from 'typebox'
import { documented, givenMembers } from '../../platform/http/documented.ts'
import { envelopeOf } from '../../platform/http/envelope.ts'
import {
  bodyMaxBytes,
  choice,
  elementLike,
  type Limits,
  opaqueObject,
  optionalText,
} from '../../platform/http/schemas.ts'
import { phoneNumber, phoneSignals } from '../phone/index.ts'
import { RISK_LEVELS } from '../risk/index.ts'

export const EVENT_ID_MAX_CHARS = 128

const EXAMPLE_RESULT = {
  check_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
  email: 'ann@example.com',
  risk_score: 0,
  risk_level: 'low',
  signals: { domain_age_score: 0, mx_score: 0, disposable_score: 0, velocity_score: 0 },
  tier: 'standard',
  credits_used: 0,
  is_sandbox: true,
}

/** `ip_address` is refused even as null, because it is no member. */
const RULES = documented({
  allOf: [
    {
      anyOf: givenMembers({
        email: { type: 'string' },
        phone: { type: 'string' },
        device: { type: 'object', additionalProperties: true },
      }),
    },
  ],
  not: { required: ['ip_address'], properties: { ip_address: {} } },
})

const strength = () => Type.Integer({ minimum: 0, maximum: 100 })

const checkResult = Type.Object(
  {
    check_id: Type.String(),
    email: Type.Optional(Type.String()),
    risk_score: strength(),
    risk_level: choice(RISK_LEVELS),
    signals: Type.Object(
      {
        domain_age_score: strength(),
        mx_score: strength(),
        disposable_score: strength(),
        velocity_score: strength(),
        phone: Type.Optional(phoneSignals),
      },
      { description: '0 = no evidence of risk, 100 = certain; unknown = 0 (OP-6)' },
    ),
    tier: Type.String({ examples: ['standard'] }),
    credits_used: Type.Integer({ minimum: 0 }),
    is_sandbox: Type.Boolean(),
  },
  { $id: 'CheckResult', examples: [EXAMPLE_RESULT] },
)
export type CheckResult = Static<typeof checkResult>

const sandboxValue = (name: 'email' | 'phone') =>
  Type.Object({
    [name]: Type.String(),
    description: Type.String(),
    risk_score: Type.Union([strength(), Type.Null()], {
      description: 'null when no check completes',
    }),
    risk_level: Type.Union([choice(RISK_LEVELS), Type.Null()]),
  })

const sandboxCatalog = Type.Object(
  {
    phone_numbers: Type.Array(sandboxValue('phone')),
    emails: Type.Array(sandboxValue('email')),
    event_types: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Effect of each event type, by name',
    }),
    examples: Type.Unsafe<Record<string, { request: unknown; response: unknown }>>({
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['request', 'response'],
        properties: {
          request: { type: 'object', additionalProperties: true },
          response: { type: 'object', additionalProperties: true },
        },
      },
      description: 'Complete requests to POST /check with a test key, and their responses',
    }),
  },
  { $id: 'SandboxCatalog', 'x-open-point': 'OP-3' },
)

export type CheckLimits = Limits & { check_bulk_max: number; check_data_max_bytes: number }

/** The documented texts, and the three members that are stored as sent. */
export const checkMaxBytes = (limits: CheckLimits): number =>
  bodyMaxBytes(limits) + 3 * limits.check_data_max_bytes

export const checkSchemas = (limits: CheckLimits) => {
  const opaque = (description: string) => opaqueObject(description, limits.check_data_max_bytes)
  const request = Type.Object(
    {
      email: Type.Optional(Type.String({ minLength: 1, maxLength: limits.text_max_chars })),
      phone: Type.Optional(phoneNumber()),
      device: Type.Optional(
        opaque(
          'Fingerprint and platform signals; `fingerprint_hash` identifies the device. `signed_report`: the report of the device SDK (OP-164)',
        ),
      ),
      behavior: Type.Optional(opaque('Behavioral signals from an SDK')),
      event_type: optionalText({ maxLength: limits.text_max_chars }),
      event_id: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: EVENT_ID_MAX_CHARS,
          description: 'A repeated request gets the stored result, without charge (OP-8)',
        }),
      ),
      metadata: Type.Optional(opaque('Additional JSON context')),
    },
    {
      $id: 'CheckRequest',
      description:
        'At least one of phone, email or device is required. The client IP is taken from trusted forwarding headers; `ip_address` must not be sent.',
      examples: [{ email: 'ann@example.com', event_type: 'signup', event_id: 'signup-4711' }],
      ...RULES,
    },
  )
  return {
    request,
    checkResult,
    sandboxCatalog,
    bulkRequest: Type.Object(
      {
        // Each element is validated separately, so that an invalid one does not fail the rest (OP-1).
        checks: Type.Array(elementLike(request), { minItems: 1, maxItems: limits.check_bulk_max }),
      },
      {
        $id: 'BulkCheckRequest',
        examples: [{ checks: [{ email: 'ann@example.com' }, { phone: '+12025550143' }] }],
      },
    ),
    bulkResult: Type.Array(
      Type.Union([
        envelopeOf(checkResult, 'Check completed'),
        Type.Object({
          success: Type.Boolean({ const: false }),
          message: Type.String(),
          code: Type.Optional(Type.String()),
          content: Type.Optional(opaqueObject('Details of the error')),
        }),
      ]),
    ),
  }
}

export type CheckRequest = Static<ReturnType<typeof checkSchemas>['request']>
export type SandboxCatalog = Static<typeof sandboxCatalog>
