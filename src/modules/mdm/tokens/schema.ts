/** Request and response schemas of enrollment tokens (specification, "MDM resources" and "MDM"; OP-28). */
import { type Static, Type } from 'typebox'
import { documented } from '../../../platform/http/documented.ts'
import { choice, nullable } from '../../../platform/http/schemas.ts'
import { MANAGEMENT_MODES, TOKEN_STATES, type TokenState } from '../tables.ts'

/** One minute, as clients round 1/60. */
export const DURATION_MIN_HOURS = 0.0166
/** Ten years. */
const DURATION_MAX_HOURS = 87_600
/** Specification, "Limits": a week. */
export const DURATION_DEFAULT_HOURS = 168

const EXAMPLE_POLICY_ID = '0198c3a2-8c2f-7d4e-8b65-4a3c9f7e2d18'
const EXAMPLE_VALUE = 'QWERTYUIOPASDFGHJKLZ'
const EXAMPLE_TOKEN = {
  id: '0198c3a2-aaaa-7d4e-8b65-4a3c9f7e2d18',
  policy_id: EXAMPLE_POLICY_ID,
  management_mode: 'fully_managed',
  duration_hours: DURATION_DEFAULT_HOURS,
  one_time: false,
  state: 'active',
  token_value: EXAMPLE_VALUE,
  qr_content: JSON.stringify({
    'android.app.extra.PROVISIONING_ADMIN_EXTRAS_BUNDLE': {
      'com.google.android.apps.work.clouddpc.EXTRA_ENROLLMENT_TOKEN': EXAMPLE_VALUE,
    },
  }),
  expires_at: '2026-03-08T12:00:00.000Z',
  created_at: '2026-03-01T12:00:00.000Z',
}

const time = () => Type.String({ format: 'date-time' })

const create = Type.Object(
  {
    policy_id: Type.String({ description: 'Determines the mode in which devices are managed' }),
    duration_hours: Type.Optional(
      Type.Number({
        maximum: DURATION_MAX_HOURS,
        default: DURATION_DEFAULT_HOURS,
        description: 'May be a fraction, but at least one minute',
        ...documented({ minimum: DURATION_MIN_HOURS }),
      }),
    ),
    one_time: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the token enrolls only one device' }),
    ),
  },
  { $id: 'EnrollmentTokenRequest', examples: [{ policy_id: EXAMPLE_POLICY_ID }] },
)
export type CreateToken = Static<typeof create>

const facts = {
  id: Type.String({ format: 'uuid' }),
  policy_id: Type.String({ format: 'uuid' }),
  management_mode: choice(MANAGEMENT_MODES),
  duration_hours: Type.Number(),
  one_time: Type.Boolean(),
  state: Type.Unsafe<TokenState>({
    ...choice(TOKEN_STATES),
    description: '`used`: it was for one device, which has enrolled',
  }),
}
const times = { expires_at: time(), created_at: time() }
const VALUE = { description: 'Anyone who has it can enroll a device', 'x-secret': true }
const CONTENT = { description: 'JSON text that the enrollment QR code encodes', 'x-secret': true }

const token = Type.Object(
  { ...facts, token_value: Type.String(VALUE), qr_content: Type.String(CONTENT), ...times },
  { $id: 'EnrollmentToken', examples: [EXAMPLE_TOKEN], 'x-open-point': 'OP-28, OP-133' },
)
export type Token = Static<typeof token>

const listed = Type.Object(
  {
    ...facts,
    token_value: nullable(Type.String({ ...VALUE, description: 'Null for members' })),
    qr_content: nullable(Type.String({ ...CONTENT, description: 'Null for members' })),
    ...times,
  },
  { $id: 'ListedEnrollmentToken', examples: [EXAMPLE_TOKEN], 'x-open-point': 'OP-28, OP-133' },
)
export type ListedToken = Static<typeof listed>

/** @property created_by id of a user */
export type ConsoleToken = ListedToken & {
  created_by: string | null
  /** When the first device was reported that enrolled with it. */
  used_at: string | null
  /** Number of enrollments with it. */
  uses: number
}

/** A page of the console, newest first. */
export type TokenPage = { tokens: ConsoleToken[]; next_cursor: string | null }

export const tokenSchemas = { create, token, tokens: Type.Array(listed) }
