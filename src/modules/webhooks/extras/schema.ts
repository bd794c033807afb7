/** Contract of filters on the content of events. */
import { type Static, Type } from 'typebox'
import { choice, strictObject } from '../../../platform/http/schemas.ts'

const CONDITIONS_MAX = 10
const VALUES_MAX = 50
const VALUE_MAX_CHARS = 200
const FIELD_MAX_CHARS = 200

export const FILTER_OPERATORS = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'contains',
  'starts_with',
  'exists',
] as const

const scalar = Type.Union([
  Type.String({ maxLength: VALUE_MAX_CHARS }),
  Type.Number(),
  Type.Boolean(),
])
const condition = strictObject({
  field: Type.String({
    minLength: 1,
    maxLength: FIELD_MAX_CHARS,
    description: 'A field of the event, such as `data.risk.risk_score`; lists match by any element',
  }),
  operator: choice(FILTER_OPERATORS),
  value: Type.Optional(
    Type.Union([scalar, Type.Array(scalar, { minItems: 1, maxItems: VALUES_MAX })]),
  ),
})
export const eventFilter = strictObject({
  match: choice(['all', 'any']),
  conditions: Type.Array(condition, { minItems: 1, maxItems: CONDITIONS_MAX }),
})
export type EventFilter = Static<typeof eventFilter>
