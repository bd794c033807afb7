/** Contract of the orders (specification, "Order"). */
import { type Static, Type } from 'typebox'
import { envelopeOf } from '../../platform/http/envelope.ts'
import {
  choice,
  IDENTIFIER_MAX_CHARS,
  type Limits,
  opaqueObject,
} from '../../platform/http/schemas.ts'
import { RISK_LEVELS } from '../risk/index.ts'

export const ORDER_TYPES = ['online', 'in_store', 'phone', 'other'] as const
export const PAYMENT_METHODS = ['card', 'cash', 'mobile', 'crypto', 'other'] as const
export const DISCOUNT_TYPES = ['none', 'percentage', 'fixed', 'override', 'employee'] as const

export const ORDER_FLAGS = [
  'high_velocity',
  'amount_anomaly',
  'location_anomaly',
  'device_anomaly',
  'time_anomaly',
  'pattern_anomaly',
] as const

const ITEMS_MAX = 500
export const BULK_ORDERS_MAX = 100
/** Above it, integers in JSON are not exact. */
const INTEGER_MAX = Number.MAX_SAFE_INTEGER

const EXAMPLE_RISK = {
  risk_score: 0,
  risk_level: 'low',
  signals: {
    velocity: 0,
    amount_anomaly: 0,
    location_anomaly: 0,
    device_anomaly: 0,
    time_anomaly: 0,
    pattern: 0,
  },
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
const cents = () => Type.Integer({ minimum: 0, maximum: INTEGER_MAX })

const orderRecord = Type.Object({
  id: Type.String({ format: 'uuid' }),
  external_order_id: Type.String(),
  status: choice(['pending']),
  ordered_at: Type.String({ format: 'date-time' }),
})

const orderRisk = Type.Object({
  risk_score: strength(),
  risk_level: choice(RISK_LEVELS),
  signals: Type.Object({
    velocity: strength(),
    amount_anomaly: strength(),
    location_anomaly: strength(),
    device_anomaly: strength(),
    time_anomaly: strength(),
    pattern: strength(),
  }),
  flags: Type.Array(choice(ORDER_FLAGS)),
  flagged_for_review: Type.Boolean({ description: 'true when the score is 50 or more' }),
})
export type OrderRisk = Static<typeof orderRisk>

const scoredOrder = Type.Object(
  { order: orderRecord, risk: orderRisk },
  { $id: 'ScoredOrder', examples: [{ order: EXAMPLE_ORDER, risk: EXAMPLE_RISK }] },
)
export type ScoredOrder = Static<typeof scoredOrder>

export const orderSchemas = (limits: Limits) => {
  const text = (description?: string) =>
    Type.String({
      minLength: 1,
      maxLength: limits.text_max_chars,
      ...(description !== undefined && { description }),
    })
  const identifier = (description: string) =>
    Type.String({ minLength: 1, maxLength: IDENTIFIER_MAX_CHARS, description })
  const item = Type.Object({
    external_item_id: Type.Optional(text()),
    item_category: Type.Optional(text()),
    quantity: Type.Integer({ minimum: 1, maximum: INTEGER_MAX }),
    unit_price_cents: cents(),
    total_price_cents: cents(),
    discount_cents: Type.Optional(cents()),
    discount_type: Type.Optional(choice(DISCOUNT_TYPES)),
  })
  const request = Type.Object(
    {
      external_order_id: identifier('Your order id, unique per organisation'),
      external_id: Type.Optional(
        identifier('external_id of the profile; omitted for anonymous point-of-sale orders'),
      ),
      amount_cents: cents(),
      currency: Type.Optional(
        Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217; USD when omitted' }),
      ),
      order_type: Type.Optional(choice(ORDER_TYPES)),
      payment_method: Type.Optional(choice(PAYMENT_METHODS)),
      item_count: Type.Optional(Type.Integer({ minimum: 0, maximum: INTEGER_MAX })),
      location_latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
      location_longitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
      location_country: Type.Optional(text('Country name')),
      location_city: Type.Optional(text('City name')),
      location_name: Type.Optional(text('Name of the store or location')),
      fingerprint_hash: Type.Optional(text('Hash of the device fingerprint')),
      ip_hash: Type.Optional(text('Hashed IP address')),
      edge_device_id: Type.Optional(text('Point-of-sale device id')),
      cashier_external_id: Type.Optional(identifier('external_id of the cashier')),
      ordered_at: Type.Optional(
        Type.String({ format: 'date-time', description: 'ISO 8601 with time zone; default now' }),
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
        // Each element is validated on its own, so that a bad one does not fail the rest (OP-2).
        orders: Type.Array(Type.Unsafe<unknown>({ description: 'An order, as for POST /orders' }), {
          minItems: 1,
          maxItems: BULK_ORDERS_MAX,
        }),
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
