/** Contract of messages (specification, "Push"; OP-33). */
import { type Static, Type } from 'typebox'
import { choice, IDENTIFIER_MAX_CHARS } from '../../../platform/http/schemas.ts'
import { TTL_MAX_SECONDS } from '../payloads/limits.ts'

export type MessageLimits = { push_targets_max: number; push_schedule_days: number }

const INT32_MAX = 2_147_483_647

const uuid = (description?: string) =>
  Type.String({
    format: 'uuid',
    ...(description !== undefined && { description }),
  })
const text = (description?: string) =>
  Type.String({ minLength: 1, ...(description !== undefined && { description }) })
const optional = Type.Optional

const EXAMPLE_TO_USERS = {
  application_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
  external_user_ids: ['customer-1041'],
  title: 'Your order is on its way',
  body: 'It will be there between 14:00 and 15:00.',
  data: { order_id: '8841' },
  deep_link: 'shop://orders/8841',
}
const EXAMPLE_TO_ALL = {
  application_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
  all: true,
  title: 'Open on Sunday',
  ttl_seconds: 86_400,
}

const content = {
  title: optional(text()),
  body: optional(text()),
  data: optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'For the app. Without title and body nothing is shown to the user',
    }),
  ),
  image: optional(text('URL, beginning with https://')),
  deep_link: optional(text('What the app opens when the notification is tapped')),
  ttl_seconds: optional(
    Type.Integer({
      minimum: 0,
      maximum: TTL_MAX_SECONDS,
      description: 'How long it is worth showing, from the time of sending; 0: now or never',
    }),
  ),
  collapse_key: optional(text('Of messages with the same one only the last is shown')),
  priority: optional(choice(['high', 'normal'])),
  badge: optional(Type.Integer({ minimum: 0, maximum: INT32_MAX })),
  sound: optional(text()),
  channel_id: optional(text('Android only')),
}

const members = ({ push_targets_max, push_schedule_days }: MessageLimits) => ({
  application_id: optional(uuid()),
  push_configuration_id: optional(uuid('Instead of `application_id`')),
  all: optional(Type.Boolean({ const: true, description: 'To all subscribed devices' })),
  external_user_ids: optional(
    Type.Array(Type.String({ minLength: 1, maxLength: IDENTIFIER_MAX_CHARS }), {
      minItems: 1,
      maxItems: push_targets_max,
      description: 'To all subscribed devices of these users; those that are not known are ignored',
    }),
  ),
  subscription_ids: optional(
    Type.Array(uuid(), {
      minItems: 1,
      maxItems: push_targets_max,
      description: 'To exactly these; those that are not known are ignored',
    }),
  ),
  ...content,
  send_at: optional(
    Type.String({
      format: 'date-time',
      description: `RFC 3339, at most ${push_schedule_days} days ahead; a time that is over means now`,
    }),
  ),
})

const DESCRIPTION =
  'Exactly one of `application_id` and `push_configuration_id`; exactly one of `all`, `external_user_ids` and `subscription_ids`; at least one of `title`, `body` and `data`. What FCM or APNs would not take (4096 bytes, reserved names in `data`) is refused.'

export const messageSchemas = (limits: MessageLimits) => ({
  request: Type.Object(members(limits), {
    $id: 'PushMessageRequest',
    description: DESCRIPTION,
    examples: [EXAMPLE_TO_USERS, EXAMPLE_TO_ALL],
    'x-open-point': 'OP-33',
  }),
  /** For the console, where the organisation is in the body. */
  consoleRequest: Type.Object({ org_id: Type.String(), ...members(limits) }),
  headers: Type.Object({
    'Idempotency-Key': Type.String({
      description:
        'Of the caller’s choice, 1 to 255 visible ASCII characters, in double quotes or without. The same request with the same key within seven days is answered like the first one and sends nothing; another request with it is refused.',
      examples: ['order-8841-shipped'],
    }),
  }),
  accepted: Type.Object(
    {
      message_id: Type.String({ format: 'uuid' }),
      status: choice(['queued', 'scheduled']),
      targeted: Type.Integer({
        minimum: 0,
        description: 'Subscriptions that can be reached now and that the targets name',
      }),
    },
    {
      $id: 'PushMessageAccepted',
      examples: [
        { message_id: '0198c3a2-9d10-7aa1-8b0e-5c1f2a3b4d5e', status: 'queued', targeted: 2 },
      ],
      'x-open-point': 'OP-33',
    },
  ),
})

export type MessageRequest = Static<ReturnType<typeof messageSchemas>['request']>
export type Accepted = Static<ReturnType<typeof messageSchemas>['accepted']>
