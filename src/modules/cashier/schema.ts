/** Contract of cashier actions (specification, "Cashier action"). */
import { type Static, Type } from 'typebox'
import {
  choice,
  IDENTIFIER_MAX_CHARS,
  INTEGER_MAX,
  type Limits,
  optionalText,
} from '../../platform/http/schemas.ts'
import { RISK_LEVELS, recordOf } from '../risk/index.ts'
import { ACTION_TYPES } from './scoring/facts.ts'
import { CASHIER_SIGNALS } from './scoring/parameters.ts'
import { CASHIER_FLAGS } from './scoring/scoring.ts'

const REASON_MAX_CHARS = 1000

const EXAMPLE = {
  action: {
    id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
    action_type: 'void',
    amount_cents: 4990,
    performed_at: '2026-03-01T12:00:00.000Z',
  },
  fraud: {
    risk_score: 0,
    risk_level: 'low',
    signals: recordOf(CASHIER_SIGNALS, () => 0),
    flags: [],
  },
}

const strength = () => Type.Integer({ minimum: 0, maximum: 100 })

const actionRecord = Type.Object({
  id: Type.String({ format: 'uuid' }),
  action_type: choice(ACTION_TYPES),
  amount_cents: Type.Union([Type.Integer(), Type.Null()], { description: 'null when not sent' }),
  performed_at: Type.String({ format: 'date-time' }),
})

const fraud = Type.Object({
  risk_score: strength(),
  risk_level: choice(RISK_LEVELS),
  signals: Type.Object(recordOf(CASHIER_SIGNALS, strength)),
  flags: Type.Array(choice(CASHIER_FLAGS)),
})
export type CashierFraud = Static<typeof fraud>

const recordedAction = Type.Object(
  { action: actionRecord, fraud },
  { $id: 'CashierAction', examples: [EXAMPLE] },
)
export type RecordedAction = Static<typeof recordedAction>

export const cashierSchemas = (limits: Limits) => {
  const identifier = (description: string) =>
    Type.String({ minLength: 1, maxLength: IDENTIFIER_MAX_CHARS, description })
  const request = Type.Object(
    {
      cashier_external_id: identifier('external_id of the cashier'),
      action_type: choice(ACTION_TYPES),
      edge_device_id: optionalText({
        maxLength: limits.text_max_chars,
        description: 'Point-of-sale device id',
      }),
      order_external_id: Type.Optional(identifier('Your id of the order that the action concerns')),
      amount_cents: Type.Optional(
        Type.Integer({
          minimum: -INTEGER_MAX,
          maximum: INTEGER_MAX,
          description: 'The sign makes no difference to the score',
        }),
      ),
      reason: Type.Optional(Type.String({ maxLength: REASON_MAX_CHARS })),
      performed_at: Type.Optional(
        Type.String({ format: 'date-time', description: 'RFC 3339; default now' }),
      ),
    },
    {
      $id: 'CashierActionRequest',
      examples: [
        {
          cashier_external_id: 'cashier-7',
          action_type: 'void',
          edge_device_id: 'pos-3',
          order_external_id: 'order-4711',
          amount_cents: 4990,
          reason: 'Wrong item',
        },
      ],
    },
  )
  return { request, recordedAction }
}

export type CashierRequest = Static<ReturnType<typeof cashierSchemas>['request']>
