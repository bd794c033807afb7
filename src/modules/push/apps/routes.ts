/**
 * Operations for apps, with a public key (OP-158). They are outside of /v1, because the specification has no
 * path for them. All of them are POST requests with the secret in the body, where no log or proxy records it.
 */
import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { answerPreflight } from '../../../platform/http/cors.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { notFound } from '../../../platform/http/errors.ts'
import { found } from '../../../platform/http/found.ts'
import { appAnswers, appSchemas } from './schema.ts'
import type { Apps } from './service.ts'

export const SDK_PATH = '/sdk/push/subscriptions'
const ONE = `${SDK_PATH}/:subscription_id`
const tags = ['Push for apps']
const CONFIG = {
  access: 'public_key',
  rate_class: 'push_sdk',
  network_rate_class: 'push_sdk_network',
  // Apps in web views call from other origins.
  cors: true,
} as const

type Operation<Body, Content> = {
  operationId: string
  summary: string
  description?: string
  open_point: string
  body: Body
  answer: Content
  message: string
}

const schemaOf = <Body extends TSchema, Content extends TSchema>({
  answer,
  message,
  open_point,
  ...rest
}: Operation<Body, Content>) => ({
  ...rest,
  tags,
  'x-open-point': open_point,
  response: responses(answer, message),
})

/** Counts a request against the limit of its subscription, which a guess of the secret does not use up. */
async function countSubscription(request: FastifyRequest): Promise<void> {
  const { subscription_id } = request.params as { subscription_id: string }
  const { subscription_secret } = request.body as { subscription_secret: string }
  await request.countFor('push_sdk_subscription', `${subscription_id}:${subscription_secret}`)
}

export function appRoutes(app: App, { apps }: { apps: Apps }): void {
  registrationRoutes(app, apps)
  userRoutes(app, apps)
  receiptRoutes(app, apps)
}

function registrationRoutes(app: App, apps: Apps): void {
  answerPreflight(app, SDK_PATH)
  app.post(
    SDK_PATH,
    {
      config: CONFIG,
      schema: schemaOf({
        operationId: 'registerAppSubscription',
        summary: 'Register the app on a device',
        description:
          'Returns the secret that proves the subscription. A token that is registered already takes its subscription along: the new installation gets a new secret, and the subscription has no user until it is identified again.',
        open_point: 'OP-95, OP-158, OP-159',
        body: appSchemas.registration,
        answer: appAnswers.registered,
        message: REGISTERED,
      }),
    },
    async ({ key, body }, reply) => {
      void reply.header('cache-control', 'no-store')
      return envelope(REGISTERED, await apps.register(key, body))
    },
  )

  answerPreflight(app, ONE)
  app.post(
    ONE,
    {
      config: CONFIG,
      preHandler: countSubscription,
      schema: {
        ...schemaOf({
          operationId: 'refreshAppSubscription',
          summary: 'Report a new token, permission, version, locale or time zone',
          description:
            'Apps call it at every start. A token makes the subscription reachable again, and keeps its user.',
          open_point: 'OP-38, OP-95, OP-158',
          body: appSchemas.refresh,
          answer: appAnswers.subscription,
          message: UPDATED,
        }),
        params: appSchemas.params,
      },
    },
    async ({ key, params, body }) =>
      envelope(UPDATED, found(await apps.refresh(key, params.subscription_id, body))),
  )
}

const REGISTERED = 'Subscription registered'
const UPDATED = 'Subscription updated'
const IDENTIFIED = 'User identified'
const LOGGED_OUT = 'User logged out'
const UNSUBSCRIBED = 'Subscription deleted'
const COUNTED = 'Receipts counted'

function userRoutes(app: App, apps: Apps): void {
  answerPreflight(app, `${ONE}/identify`)
  app.post(
    `${ONE}/identify`,
    {
      config: CONFIG,
      preHandler: countSubscription,
      schema: {
        ...schemaOf({
          operationId: 'identifyAppUser',
          summary: 'Assign the user whom an identity assertion proves',
          open_point: 'OP-38, OP-96, OP-158',
          body: appSchemas.identify,
          answer: appAnswers.subscription,
          message: IDENTIFIED,
        }),
        params: appSchemas.params,
      },
    },
    async ({ key, params, body: { identity_token, ...proof } }) => {
      const identified = await apps.identify(key, { ...proof, ...params }, identity_token)
      return envelope(IDENTIFIED, found(identified))
    },
  )

  answerPreflight(app, `${ONE}/logout`)
  app.post(
    `${ONE}/logout`,
    {
      config: CONFIG,
      preHandler: countSubscription,
      schema: {
        ...schemaOf({
          operationId: 'logOutAppUser',
          summary: 'Remove the user; the subscription stays and is anonymous',
          open_point: 'OP-38, OP-158',
          body: appSchemas.proof,
          answer: appAnswers.subscription,
          message: LOGGED_OUT,
        }),
        params: appSchemas.params,
      },
    },
    async ({ key, params, body }) =>
      envelope(LOGGED_OUT, found(await apps.logout(key, { ...body, ...params }))),
  )
}

function receiptRoutes(app: App, apps: Apps): void {
  answerPreflight(app, `${ONE}/unsubscribe`)
  app.post(
    `${ONE}/unsubscribe`,
    {
      config: CONFIG,
      preHandler: countSubscription,
      schema: {
        ...schemaOf({
          operationId: 'unsubscribeApp',
          summary: 'Delete the subscription with its token and user',
          open_point: 'OP-38, OP-104, OP-158',
          body: appSchemas.ending,
          answer: appAnswers.nothing,
          message: UNSUBSCRIBED,
        }),
        params: appSchemas.params,
      },
    },
    async ({ key, params, body }) => {
      if (!(await apps.unsubscribe(key, { ...body, ...params }))) throw notFound()
      return envelope(UNSUBSCRIBED, {})
    },
  )

  answerPreflight(app, `${ONE}/receipts`)
  app.post(
    `${ONE}/receipts`,
    {
      config: CONFIG,
      preHandler: countSubscription,
      schema: {
        ...schemaOf({
          operationId: 'sendAppReceipts',
          summary: 'Report which notifications were received and clicked',
          description: 'Each kind counts once per message, however often it is reported.',
          open_point: 'OP-38, OP-97, OP-158',
          body: appSchemas.receipts,
          answer: appAnswers.receipts,
          message: COUNTED,
        }),
        params: appSchemas.params,
      },
    },
    async ({ key, params, body: { receipts, ...proof } }) =>
      envelope(COUNTED, found(await apps.receive(key, { ...proof, ...params }, receipts))),
  )
}
