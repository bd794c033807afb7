/** Contract of the phone operations (specification, "Check": phone signals and outcome reports). */
import { type Static, Type } from 'typebox'
import { choice, type Limits, opaqueObject } from '../../platform/http/schemas.ts'

/** A phone number in a request. */
export const phoneNumber = () =>
  Type.String({
    pattern: '^\\+[1-9][0-9]{1,14}$',
    description: 'E.164',
    examples: ['+12025550143'],
    'x-wanted': 'a phone number in E.164, such as +12025550143',
  })

export const REPORT_OUTCOMES = [
  'fraud',
  'sim_swap_fraud',
  'account_takeover',
  'spam',
  'bot',
  'legitimate',
] as const
export type ReportOutcome = (typeof REPORT_OUTCOMES)[number]

export const LINE_TYPES = ['mobile', 'landline', 'voip'] as const

/** Unknown facts are null or false (OP-42). */
export const phoneSignals = Type.Object(
  {
    is_valid: Type.Boolean(),
    carrier: Type.Union([Type.String(), Type.Null()], {
      description:
        'Carrier that the range was allocated to; null when unknown or when the number was ported',
    }),
    line_type: Type.Union([choice(LINE_TYPES), Type.Null()]),
    country_code: Type.Union([Type.String(), Type.Null()]),
    recent_sim_swap: Type.Boolean({ description: 'Swap within the last 7 days' }),
    sim_swap_date: Type.Union([Type.String(), Type.Null()]),
    ported: Type.Boolean(),
    ported_date: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'PhoneSignals' },
)
export type PhoneSignals = Static<typeof phoneSignals>

const EXAMPLE_REPORT = { phone: '+12025550143', outcome: 'sim_swap_fraud', confidence: 90 }

export type PhoneLimits = Limits & { check_data_max_bytes: number }

export const phoneSchemas = (limits: PhoneLimits) => {
  const fields = {
    phone: phoneNumber(),
    outcome: choice(REPORT_OUTCOMES),
    check_id: Type.Optional(Type.String({ minLength: 1, maxLength: limits.text_max_chars })),
    metadata: Type.Optional(opaqueObject('Additional JSON context', limits.check_data_max_bytes)),
  }
  return {
    report: Type.Object(
      {
        ...fields,
        confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 100, default: 100 })),
      },
      { $id: 'PhoneOutcomeReport', examples: [EXAMPLE_REPORT] },
    ),
    acceptedReport: Type.Object(
      { ...fields, confidence: Type.Number() },
      { $id: 'AcceptedPhoneOutcomeReport', examples: [EXAMPLE_REPORT] },
    ),
  }
}

export type PhoneReport = Static<ReturnType<typeof phoneSchemas>['report']>
