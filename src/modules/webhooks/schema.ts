/** Requests and responses of the webhook operations (specification, "Webhook endpoint" and "Webhooks"). */
import { type Static, Type } from 'typebox'
import { choice, type Limits, nullable } from '../../platform/http/schemas.ts'
import { URL_MAX_CHARS } from '../../platform/net/target-url.ts'
import { EVENT_TYPES } from '../events/index.ts'
import { DELIVERY_STATUSES } from './tables.ts'

const ENDPOINT_STATUSES = ['active', 'paused'] as const

const EXAMPLE_ENDPOINT = {
  id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
  url: 'https://shop.example.com/hooks/vigil',
  events: ['order.fraud.detected'],
  description: 'Orders to hold back',
  status: 'active',
  secret_prefix: 'whsec_a1B2',
  created_at: '2026-03-01T12:00:00.000Z',
  updated_at: '2026-03-01T12:00:00.000Z',
}
const EXAMPLE_SECRET = 'whsec_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9'
const EXAMPLE_DELIVERY = {
  id: '0198c3a2-9d10-7aa1-8b0e-5c1f2a3b4d5e',
  event_id: '0198c3a2-9c44-7f00-a1b2-c3d4e5f60718',
  event_type: 'order.fraud.detected',
  status: 'failed',
  attempts: 2,
  next_attempt_at: '2026-03-01T12:05:11.000Z',
  response_status: 503,
  response_body: 'Service Unavailable',
  error: 'Answered 503',
  latency_ms: 87,
  created_at: '2026-03-01T12:00:04.000Z',
}

const time = () => Type.String({ format: 'date-time' })

const endpointFields = {
  id: Type.String({ format: 'uuid' }),
  url: Type.String(),
  events: Type.Array(choice(EVENT_TYPES)),
  description: Type.String(),
  status: choice(ENDPOINT_STATUSES),
  secret_prefix: Type.String({ description: 'First characters of the secret, to recognize it by' }),
  created_at: time(),
  updated_at: time(),
}
const endpoint = Type.Object(endpointFields, {
  $id: 'WebhookEndpoint',
  examples: [EXAMPLE_ENDPOINT],
  'x-open-point': 'OP-27',
})
export type Endpoint = Static<typeof endpoint>

const endpointWithSecret = Type.Object(
  {
    ...endpointFields,
    secret: Type.String({
      description: 'Signs deliveries. It is shown only in this response',
      'x-secret': true,
    }),
  },
  {
    $id: 'WebhookEndpointWithSecret',
    examples: [{ ...EXAMPLE_ENDPOINT, secret: EXAMPLE_SECRET }],
    'x-open-point': 'OP-27',
  },
)
export type EndpointWithSecret = Static<typeof endpointWithSecret>

const delivery = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    event_id: Type.String({ format: 'uuid' }),
    event_type: choice(EVENT_TYPES),
    status: choice(DELIVERY_STATUSES),
    attempts: Type.Integer({ minimum: 0 }),
    next_attempt_at: nullable(time()),
    response_status: nullable(Type.Integer()),
    response_body: nullable(Type.String({ description: 'The first 2 KiB' })),
    error: nullable(Type.String()),
    latency_ms: nullable(Type.Integer({ minimum: 0 })),
    created_at: time(),
  },
  { $id: 'WebhookDelivery', examples: [EXAMPLE_DELIVERY], 'x-open-point': 'OP-25' },
)
export type Delivery = Static<typeof delivery>

const EXAMPLE_ORG = '0198c3a2-0000-7c3d-9a54-3f2b8e6d1c07'

export const webhookSchemas = (limits: Limits) => {
  const fields = {
    url: Type.String({
      minLength: 1,
      maxLength: URL_MAX_CHARS,
      description:
        'Public HTTPS URL without a user name, a password and a fragment; its port is 443, or one from 1024 that is not known for another service',
    }),
    events: Type.Array(choice(EVENT_TYPES), { minItems: 1, maxItems: 100 }),
    description: Type.String({ maxLength: limits.text_max_chars }),
  }
  const { url, events, description } = EXAMPLE_ENDPOINT
  const create = Type.Object(
    { ...fields, description: Type.Optional(fields.description) },
    { $id: 'WebhookRequest', examples: [{ org_id: EXAMPLE_ORG, url, events, description }] },
  )
  const update = Type.Object(
    {
      url: Type.Optional(fields.url),
      events: Type.Optional(fields.events),
      description: Type.Optional(fields.description),
      status: Type.Optional(choice(ENDPOINT_STATUSES)),
    },
    { $id: 'WebhookUpdate', examples: [{ org_id: EXAMPLE_ORG, status: 'paused' }] },
  )
  return {
    create,
    update,
    endpointId: Type.Object({ id: Type.String() }),
    deliveryId: Type.Object({ deliveryId: Type.String() }),
    endpoint,
    endpointWithSecret,
    endpoints: Type.Array(endpoint),
    delivery,
    deliveries: Type.Array(delivery),
    nothing: Type.Object({}),
  }
}

type Schemas = ReturnType<typeof webhookSchemas>
export type CreateRequest = Static<Schemas['create']>
export type UpdateRequest = Static<Schemas['update']>
