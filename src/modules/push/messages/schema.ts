/** Request and response of sending a message (specification, "Push"; OP-33). */
import { type Static, Type } from 'typebox'
import { documented, givenMembers } from '../../../platform/http/documented.ts'
import { choice, IDENTIFIER_MAX_CHARS } from '../../../platform/http/schemas.ts'
import { TTL_MAX_SECONDS } from '../payloads/limits.ts'

export type MessageLimits = { push_targets_max: number; push_schedule_days: number }

/** The target ids of the usual alphabet, each with quotes and a comma, and the content. */
export const messageMaxBytes = ({ push_targets_max }: MessageLimits): number =>
  CONTENT_MAX_BYTES + push_targets_max * (IDENTIFIER_MAX_CHARS + 3)

const CONTENT_MAX_BYTES = 65_536
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

/** Names in `data` that Vigil, FCM or APNs needs, of which each is refused for its own applications. */
const RESERVED_NAMES = '^(vigil_|google|gcm|(from|message_type|aps)$)'

const content = {
  title: optional(text()),
  body: optional(text()),
  data: optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Data for the app. Without title and body, nothing is shown to the user',
      ...documented({ propertyNames: { minLength: 1, not: { pattern: RESERVED_NAMES } } }),
    }),
  ),
  image: optional(
    Type.String({ minLength: 1, ...documented({ format: 'uri', pattern: '^https://[^/?#]' }) }),
  ),
  deep_link: optional(text('What the app opens when the notification is tapped')),
  ttl_seconds: optional(
    Type.Integer({
      minimum: 0,
      maximum: TTL_MAX_SECONDS,
      description:
        'How long the notification stays relevant, from the time of sending; 0 delivers only to devices that are online',
    }),
  ),
  collapse_key: optional(text('A notification replaces the previous one with the same key')),
  priority: optional(choice(['high', 'normal'])),
  badge: optional(Type.Integer({ minimum: 0, maximum: INT32_MAX })),
  sound: optional(text()),
  channel_id: optional(text('Android only')),
}

const members = ({ push_targets_max, push_schedule_days }: MessageLimits) => ({
  application_id: optional(uuid()),
  push_configuration_id: optional(uuid('Alternative to `application_id`')),
  all: optional(
    Type.Boolean({
      const: true,
      description: 'Sends to all subscribed devices',
      // Generators of clients fail on an enumeration of true and null.
      ...documented({ enum: undefined, not: { const: false } }),
    }),
  ),
  external_user_ids: optional(
    Type.Array(Type.String({ minLength: 1, maxLength: IDENTIFIER_MAX_CHARS }), {
      minItems: 1,
      maxItems: push_targets_max,
      description: 'Sends to all subscribed devices of these users; unknown users are ignored',
    }),
  ),
  subscription_ids: optional(
    Type.Array(uuid(), {
      minItems: 1,
      maxItems: push_targets_max,
      description: 'Sends to exactly these subscriptions; unknown ones are ignored',
    }),
  ),
  ...content,
  send_at: optional(
    Type.String({
      format: 'date-time',
      description: `RFC 3339, at most ${push_schedule_days} days ahead; a time in the past sends immediately`,
    }),
  ),
})

const RULES = documented({
  allOf: [
    {
      oneOf: givenMembers({
        application_id: { type: 'string' },
        push_configuration_id: { type: 'string' },
      }),
    },
    {
      oneOf: givenMembers({
        all: { const: true },
        external_user_ids: { type: 'array', items: { type: 'string' } },
        subscription_ids: { type: 'array', items: { type: 'string' } },
      }),
    },
    {
      anyOf: givenMembers({
        title: { type: 'string' },
        body: { type: 'string' },
        data: { type: 'object', minProperties: 1, additionalProperties: { type: 'string' } },
      }),
    },
  ],
})

const DESCRIPTION =
  'Requires exactly one of `application_id` and `push_configuration_id`, exactly one of `all`, `external_user_ids` and `subscription_ids`, and at least one of `title`, `body` and `data`. Content that FCM or APNs would reject (more than 4096 bytes, reserved names in `data`) is an error.'

/** As `readIdempotencyKey` reads it: bare, or in double quotes with backslashes before quotes. */
const KEY_PATTERN = String.raw`^([!#-~][!-~]{0,254}|"([!#-\[\]-~]|\\["\\]){1,255}")$`

export const messageSchemas = (limits: MessageLimits) => ({
  request: Type.Object(members(limits), {
    $id: 'PushMessageRequest',
    description: DESCRIPTION,
    examples: [EXAMPLE_TO_USERS, EXAMPLE_TO_ALL],
    'x-open-point': 'OP-33',
    ...RULES,
  }),
  /** Body of the console route, which also carries the organization. */
  consoleRequest: Type.Object(members(limits)),
  headers: Type.Object({
    'Idempotency-Key': Type.String({
      description:
        'A key of your choice: 1 to 255 visible ASCII characters, with or without double quotes. Repeating the request with the same key within seven days returns the first response and sends nothing; a different request with the same key is an error.',
      examples: ['order-8841-shipped'],
      ...documented({ pattern: KEY_PATTERN }),
    }),
  }),
  accepted: Type.Object(
    {
      message_id: Type.String({ format: 'uuid' }),
      status: choice(['queued', 'scheduled']),
      targeted: Type.Integer({
        minimum: 0,
        description: 'Number of currently reachable subscriptions in the target',
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
