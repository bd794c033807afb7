/**
 * Console routes for subscriptions. The specification defines no endpoint for apps (OP-35), so owners and
 * admins can register and identify devices here to try out push; members can read.
 */
import { type Static, Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { notFound } from '../../../platform/http/errors.ts'
import { found } from '../../../platform/http/found.ts'
import { choice, IDENTIFIER_MAX_CHARS } from '../../../platform/http/schemas.ts'
import { ASSERTION_MAX_CHARS } from '../identity/assertion.ts'
import { PERMISSIONS } from '../tables.ts'
import { PLATFORMS } from './schema.ts'
import type { Subscriptions } from './service.ts'
import { TOKEN_MAX_CHARS } from './token.ts'

export type PushSubscriptionDependencies = { subscriptions: Subscriptions }

const LISTED_DEFAULT = 50
const LISTED_MAX = 200
const LOCALE_MAX_CHARS = 35
const VERSION_MAX_CHARS = 64

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const optional = (maxLength: number) => Type.Optional(text(maxLength))
const application = { application_id: Type.String() }
const deviceFields = {
  permission: Type.Optional(choice(PERMISSIONS)),
  locale: optional(LOCALE_MAX_CHARS),
  app_version: optional(VERSION_MAX_CHARS),
}

const ofApplication = Type.Object(application)
const oneSubscription = Type.Object({ subscription_id: Type.String() })
const registerBody = Type.Object({
  ...application,
  ...deviceFields,
  platform: choice(PLATFORMS),
  token: text(TOKEN_MAX_CHARS),
  subscription_id: Type.Optional(Type.String()),
  identity_token: optional(ASSERTION_MAX_CHARS),
})
const updateBody = Type.Object({
  ...application,
  ...deviceFields,
  token: optional(TOKEN_MAX_CHARS),
})
const identifyBody = Type.Object({ ...application, identity_token: text(ASSERTION_MAX_CHARS) })
const listQuery = Type.Object({
  ...application,
  external_user_id: optional(IDENTIFIER_MAX_CHARS),
  platform: Type.Optional(choice(PLATFORMS)),
  is_reachable: Type.Optional(Type.Boolean()),
  /** Id of the last subscription on the previous page. */
  before: Type.Optional(Type.String({ format: 'uuid' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
})

const PATH = '/console/api/push/subscriptions'
const FOUND = 'Subscription'
const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const
const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

export function pushSubscriptionRoutes(app: App, deps: PushSubscriptionDependencies): void {
  readingRoutes(app, deps)
  changingRoutes(app, deps)
  userRoutes(app, deps)
}

function readingRoutes(app: App, { subscriptions }: PushSubscriptionDependencies): void {
  app.get(
    PATH,
    { config: MEMBER, schema: { querystring: listQuery } },
    async ({ member, query: { limit = LISTED_DEFAULT, ...filter } }) =>
      envelope('Subscriptions', await subscriptions.list(member.org_id, { ...filter, limit })),
  )

  app.get(
    `${PATH}/counts`,
    { config: MEMBER, schema: { querystring: ofApplication } },
    async ({ member, query: { application_id } }) =>
      envelope('Subscriptions', await subscriptions.count(member.org_id, application_id)),
  )

  app.get(
    `${PATH}/:subscription_id`,
    { config: MEMBER, schema: { params: oneSubscription, querystring: ofApplication } },
    async ({ member, params, query }) =>
      envelope(FOUND, found(await subscriptions.find(member.org_id, keyOf(params, query)))),
  )
}

function changingRoutes(app: App, { subscriptions }: PushSubscriptionDependencies): void {
  app.post(PATH, { config: ADMIN, schema: { body: registerBody } }, async ({ member, body }) =>
    envelope('Registered', await subscriptions.register(member.org_id, body)),
  )

  app.patch(
    `${PATH}/:subscription_id`,
    { config: ADMIN, schema: { params: oneSubscription, body: updateBody } },
    async ({ member, params, body: { application_id, ...changes } }) => {
      const key = keyOf(params, { application_id })
      return envelope('Updated', found(await subscriptions.update(member.org_id, key, changes)))
    },
  )

  app.delete(
    `${PATH}/:subscription_id`,
    { config: ADMIN, schema: { params: oneSubscription, querystring: ofApplication } },
    async ({ member, params, query }) => {
      if (!(await subscriptions.remove(member.org_id, keyOf(params, query)))) throw notFound()
      return envelope('Subscription deleted', {})
    },
  )
}

function userRoutes(app: App, { subscriptions }: PushSubscriptionDependencies): void {
  app.post(
    `${PATH}/:subscription_id/identify`,
    { config: ADMIN, schema: { params: oneSubscription, body: identifyBody } },
    async ({ member, params, body }) => {
      const key = keyOf(params, body)
      const row = await subscriptions.identify(member.org_id, key, body.identity_token)
      return envelope('Identified', found(row))
    },
  )

  app.post(
    `${PATH}/:subscription_id/logout`,
    { config: ADMIN, schema: { params: oneSubscription, body: ofApplication } },
    async ({ member, params, body }) =>
      envelope('Logged out', found(await subscriptions.logout(member.org_id, keyOf(params, body)))),
  )
}

const keyOf = (
  { subscription_id }: Static<typeof oneSubscription>,
  { application_id }: { application_id: string },
) => ({ application_id, id: subscription_id })
