/** Request and response schemas of orders (specification, "Order"). */
import { type Static, Type } from 'typebox'
import { envelopeOf } from '../../platform/http/envelope.ts'
import {
  choice,
  elementLike,
  IDENTIFIER_MAX_CHARS,
  INTEGER_MAX,
  type Limits,
  opaqueObject,
  optionalText,
} from '../../platform/http/schemas.ts'
import { RISK_LEVELS, recordOf } from '../risk/index.ts'
import { FLAG_OF, ORDER_SIGNALS } from './scoring/signals.ts'

export const ORDER_TYPES = ['online', 'in_store', 'phone', 'other'] as const
export const PAYMENT_METHODS = ['card', 'cash', 'mobile', 'crypto', 'other'] as const
export const DISCOUNT_TYPES = ['none', 'percentage', 'fixed', 'override', 'employee'] as const

export const ORDER_FLAGS = Object.values(FLAG_OF)

const ITEMS_MAX = 500
export const BULK_ORDERS_MAX = 100

const EXAMPLE_RISK = {
  risk_score: 0,
  risk_level: 'low',
  signals: recordOf(ORDER_SIGNALS, () => 0),
  flags: [],
  flagged_for_review: false,
}

const EXAMPLE_ORDER = {
  id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
  external_order_id: 'order-4711',
  status: 'pending',
  ordered_at: '2026-03-01T12:00:00.000Z',
}

const strength = () => Type.Integer({ minimum: 0, maximum: 100 })
/** Returned goods and vouchers are below zero. */
const integer = (description?: string) =>
  Type.Integer({
    minimum: -INTEGER_MAX,
    maximum: INTEGER_MAX,
    ...(description !== undefined && { description }),
  })

const orderRecord = Type.Object({
  id: Type.String({ format: 'uuid' }),
  external_order_id: Type.String(),
  status: choice(['pending']),
  ordered_at: Type.String({ format: 'date-time' }),
})

const orderRisk = Type.Object({
  risk_score: strength(),
  risk_level: choice(RISK_LEVELS),
  signals: Type.Object(recordOf(ORDER_SIGNALS, strength)),
  flags: Type.Array(choice(ORDER_FLAGS)),
  flagged_for_review: Type.Boolean({ description: 'True when the score is 50 or more' }),
})
export type OrderRisk = Static<typeof orderRisk>

const scoredOrder = Type.Object(
  { order: orderRecord, risk: orderRisk },
  { $id: 'ScoredOrder', examples: [{ order: EXAMPLE_ORDER, risk: EXAMPLE_RISK }] },
)
export type ScoredOrder = Static<typeof scoredOrder>

export const orderSchemas = (limits: Limits) => {
  const text = (description?: string) =>
    optionalText({
      maxLength: limits.text_max_chars,
      ...(description !== undefined && { description }),
    })
  const identifier = (description: string) =>
    Type.String({ minLength: 1, maxLength: IDENTIFIER_MAX_CHARS, description })
  const item = Type.Object({
    external_item_id: text(),
    item_category: text(),
    quantity: integer('Below zero for returned goods'),
    unit_price_cents: integer('Below zero for vouchers'),
    total_price_cents: integer(),
    discount_cents: Type.Optional(integer()),
    discount_type: Type.Optional(choice(DISCOUNT_TYPES)),
  })
  const request = Type.Object(
    {
      external_order_id: identifier('Your order ID, unique per organization'),
      external_id: Type.Optional(
        identifier('external_id of the profile; omit it for anonymous point-of-sale orders'),
      ),
      amount_cents: integer('Below zero when more is returned than bought'),
      currency: Type.Optional(
        Type.String({
          pattern: '^[A-Za-z]{3}$',
          description: 'ISO 4217 code, in either case; defaults to USD',
          'x-wanted': 'a currency code in ISO 4217, such as EUR',
        }),
      ),
      order_type: Type.Optional(choice(ORDER_TYPES)),
      payment_method: Type.Optional(choice(PAYMENT_METHODS)),
      item_count: Type.Optional(integer()),
      location_latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
      location_longitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
      location_country: text('Country name'),
      location_city: text('City name'),
      location_name: text('Name of the store or location'),
      fingerprint_hash: text('Hash of the device fingerprint'),
      ip_hash: text('Hashed IP address'),
      edge_device_id: text('ID of the point-of-sale device'),
      cashier_external_id: Type.Optional(identifier('external_id of the cashier')),
      ordered_at: Type.Optional(
        Type.String({ format: 'date-time', description: 'RFC 3339; defaults to now' }),
      ),
      items: Type.Optional(Type.Array(item, { maxItems: ITEMS_MAX })),
    },
    {
      $id: 'OrderRequest',
      examples: [
        {
          external_order_id: 'order-4711',
          external_id: 'customer-1',
          amount_cents: 4990,
          currency: 'EUR',
          order_type: 'online',
          payment_method: 'card',
          location_country: 'Germany',
          items: [{ quantity: 1, unit_price_cents: 4990, total_price_cents: 4990 }],
        },
      ],
    },
  )
  return {
    request,
    scoredOrder,
    bulkRequest: Type.Object(
      {
        // Each element is validated separately so that an invalid one does not fail the others
        // (OP-2).
        orders: Type.Array(elementLike(request), { minItems: 1, maxItems: BULK_ORDERS_MAX }),
      },
      {
        $id: 'BulkOrderRequest',
        examples: [{ orders: [{ external_order_id: 'order-4712', amount_cents: 1250 }] }],
      },
    ),
    bulkResult: Type.Array(
      Type.Union([
        envelopeOf(scoredOrder, 'Order scored'),
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

export type OrderRequest = Static<ReturnType<typeof orderSchemas>['request']>
