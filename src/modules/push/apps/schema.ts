/** Requests and responses of the operations for apps, outside of /v1 (OP-158). */
import { type Static, Type } from 'typebox'
import { documented } from '../../../platform/http/documented.ts'
import { choice, nullable } from '../../../platform/http/schemas.ts'
import { ASSERTION_MAX_CHARS } from '../identity/assertion.ts'
import { RECEIPT_KINDS } from '../receipts/receipt.ts'
import { PLATFORMS } from '../subscriptions/schema.ts'
import { TOKEN_MAX_CHARS, TOKEN_PATTERN } from '../subscriptions/token.ts'
import { PERMISSIONS } from '../tables.ts'

const LOCALE_MAX_CHARS = 35
const VERSION_MAX_CHARS = 64
const SECRET_MAX_CHARS = 64
export const RECEIPTS_MAX = 100

const EXAMPLE_ID = '0198c3a2-8c2f-7d4e-8b65-4a3c9f7e2d18'
const EXAMPLE_SECRET = 'vps_h1Xk2cQ0mB7t9zYVwq3R5sJ8uLdFnEaGpTiOxKyZvMc'
const APPLICATION = { application_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07' }
const PROVED = { ...APPLICATION, subscription_secret: EXAMPLE_SECRET }

const uuid = (description: string) => Type.String({ format: 'uuid', description })
const text = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, description })

const application_id = uuid('The application that the app belongs to')
const subscription_secret = text(SECRET_MAX_CHARS, 'The secret that registration returned')

/** Members with which an app describes itself and its device. */
export const reported = {
  permission: Type.Optional(choice(PERMISSIONS)),
  locale: Type.Optional(text(LOCALE_MAX_CHARS, 'Language tag (BCP 47), such as `de-CH`')),
  app_version: Type.Optional(text(VERSION_MAX_CHARS, 'Version of the app, such as `2.1.0`')),
  time_zone: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_+/-]{1,64}$',
      'x-wanted': 'the name of a time zone, such as Europe/Zurich',
      description: 'Name of the time zone of the device (IANA), such as `Europe/Zurich`',
    }),
  ),
}

/** The form of the token depends on the platform. */
const TOKEN_RULES = documented({
  allOf: [
    {
      anyOf: PLATFORMS.map((platform) => ({
        properties: {
          platform: { const: platform },
          token: { type: 'string', pattern: TOKEN_PATTERN[platform] },
        },
      })),
    },
  ],
})

export const appSchemas = {
  registration: Type.Object(
    {
      application_id,
      registration_id: Type.String({
        pattern:
          '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$',
        'x-wanted': 'a random UUID (version 4)',
        description:
          'A random UUID (version 4) that the app creates and stores before the request, and uses for nothing else. Repeating the request with it returns the same subscription and secret.',
      }),
      platform: choice(PLATFORMS),
      token: text(
        TOKEN_MAX_CHARS,
        'The token of the device: of FCM for `android`, of APNs in hexadecimal digits for `ios`',
      ),
      ...reported,
    },
    {
      $id: 'AppRegistration',
      examples: [
        {
          ...APPLICATION,
          registration_id: '5b0c9a3e-4f1d-4c27-9e6a-2d7f10b3c845',
          platform: 'android',
          token: 'cJk3vT0PQ8:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx',
          permission: 'granted',
          locale: 'de-CH',
          app_version: '2.1.0',
          time_zone: 'Europe/Zurich',
        },
      ],
      'x-open-point': 'OP-158',
      ...TOKEN_RULES,
    },
  ),
  refresh: Type.Object(
    {
      application_id,
      subscription_secret,
      token: Type.Optional(text(TOKEN_MAX_CHARS, 'The current token of the device')),
      ...reported,
    },
    {
      $id: 'AppRefresh',
      description: 'Omitted members do not change.',
      examples: [{ ...PROVED, permission: 'denied', app_version: '2.2.0' }],
      'x-open-point': 'OP-158',
    },
  ),
  identify: Type.Object(
    {
      application_id,
      subscription_secret,
      identity_token: text(
        ASSERTION_MAX_CHARS,
        'Identity assertion that the backend of the app received, valid for five minutes',
      ),
    },
    {
      $id: 'AppIdentification',
      examples: [{ ...PROVED, identity_token: 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl' }],
      'x-open-point': 'OP-96, OP-158',
    },
  ),
  proof: Type.Object(
    { application_id, subscription_secret },
    { $id: 'AppProof', examples: [PROVED], 'x-open-point': 'OP-158' },
  ),
  ending: Type.Object(
    { application_id, subscription_secret },
    { $id: 'AppEnding', examples: [PROVED], 'x-open-point': 'OP-104, OP-158' },
  ),
  receipts: Type.Object(
    {
      application_id,
      subscription_secret,
      receipts: Type.Array(
        Type.Object({
          message_id: uuid('`vigil_message_id` of the notification'),
          kind: choice(RECEIPT_KINDS),
        }),
        { minItems: 1, maxItems: RECEIPTS_MAX },
      ),
    },
    {
      $id: 'AppReceipts',
      examples: [
        {
          ...PROVED,
          receipts: [{ message_id: '0198c3a2-9d10-7aa1-8b0e-5c1f2a3b4d5e', kind: 'clicked' }],
        },
      ],
      'x-open-point': 'OP-97, OP-158',
    },
  ),
  params: Type.Object({ subscription_id: Type.String() }),
}

const shown = {
  subscription_id: Type.String({ format: 'uuid' }),
  platform: choice(PLATFORMS),
  permission: choice(PERMISSIONS),
  is_reachable: Type.Boolean({
    description: 'Whether messages are sent to it: permission and token permit it',
  }),
  external_user_id: nullable(Type.String()),
  locale: nullable(Type.String()),
  app_version: nullable(Type.String()),
  time_zone: nullable(Type.String()),
}
const EXAMPLE = {
  subscription_id: EXAMPLE_ID,
  platform: 'android',
  permission: 'granted',
  is_reachable: true,
  external_user_id: null,
  locale: 'de-CH',
  app_version: '2.1.0',
  time_zone: 'Europe/Zurich',
}

export const appAnswers = {
  registered: Type.Object(
    {
      subscription_secret: Type.String({
        description: 'Proves the subscription in all later requests. It is not returned again.',
      }),
      ...shown,
    },
    {
      $id: 'AppRegistered',
      examples: [{ subscription_secret: EXAMPLE_SECRET, ...EXAMPLE }],
      'x-open-point': 'OP-158',
    },
  ),
  subscription: Type.Object(shown, {
    $id: 'AppSubscription',
    examples: [EXAMPLE],
    'x-open-point': 'OP-158',
  }),
  receipts: Type.Object(
    {
      received: Type.Integer({ description: 'Receipts in the request' }),
      known: Type.Integer({
        description: 'Receipts of messages that were sent to the subscription',
      }),
    },
    { $id: 'AppReceiptsCounted', examples: [{ received: 1, known: 1 }], 'x-open-point': 'OP-97' },
  ),
  nothing: Type.Object({}, { $id: 'AppUnsubscribed', examples: [{}] }),
}

export type RegistrationBody = Static<typeof appSchemas.registration>
export type RefreshBody = Static<typeof appSchemas.refresh>
export type AppSubscriptionAnswer = Static<typeof appAnswers.subscription>
export type Registered = Static<typeof appAnswers.registered>
