/** Contract of the enrolment tokens (specification, "MDM resources" and "MDM"; OP-28). */
import { type Static, Type } from 'typebox'
import { choice } from '../../../platform/http/schemas.ts'
import { MANAGEMENT_MODES } from '../../../platform/postgres/tables/mdm.ts'

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
        exclusiveMinimum: 0,
        maximum: DURATION_MAX_HOURS,
        default: DURATION_DEFAULT_HOURS,
        description: 'Fractions are taken, down to a minute',
      }),
    ),
    one_time: Type.Optional(
      Type.Boolean({ default: false, description: 'Enrols one device and no more' }),
    ),
  },
  { $id: 'EnrollmentTokenRequest', examples: [{ policy_id: EXAMPLE_POLICY_ID }] },
)
export type CreateToken = Static<typeof create>

const token = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    policy_id: Type.String({ format: 'uuid' }),
    management_mode: choice(MANAGEMENT_MODES),
    duration_hours: Type.Number(),
    one_time: Type.Boolean(),
    token_value: Type.String({
      description: 'Whoever has it can enrol a device',
      'x-secret': true,
    }),
    qr_content: Type.String({
      description: 'JSON, as text: what the QR code of the enrolment encodes',
      'x-secret': true,
    }),
    expires_at: time(),
    created_at: time(),
  },
  { $id: 'EnrollmentToken', examples: [EXAMPLE_TOKEN], 'x-open-point': 'OP-28' },
)
export type Token = Static<typeof token>

export const tokenSchemas = {
  inOrganization: Type.Object({
    org_id: Type.String({ description: 'Organisation that you are a member of' }),
  }),
  create,
  token,
  tokens: Type.Array(token),
}
