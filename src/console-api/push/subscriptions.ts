/**
 * Subscriptions of an application. No path for apps is shown (OP-35): owners and admins register and
 * identify here what they try things out with, and members read.
 */
import { type Static, Type } from 'typebox'
import { type Members, requireAdmin, requireMember } from '../../modules/accounts/index.ts'
import {
  ASSERTION_MAX_CHARS,
  PLATFORMS,
  type Subscriptions,
  TOKEN_MAX_CHARS,
} from '../../modules/push/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { notFound } from '../../platform/http/errors.ts'
import { choice, IDENTIFIER_MAX_CHARS } from '../../platform/http/schemas.ts'
import { PERMISSIONS } from '../../platform/postgres/tables/push.ts'

import { found } from '../found.ts'

export type PushSubscriptionDependencies = { accounts: Members; subscriptions: Subscriptions }

const LISTED_DEFAULT = 50
const LISTED_MAX = 200
const LOCALE_MAX_CHARS = 35
const VERSION_MAX_CHARS = 64

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const optional = (maxLength: number) => Type.Optional(text(maxLength))
const application = { org_id: Type.String(), application_id: Type.String() }
const told = {
  permission: Type.Optional(choice(PERMISSIONS)),
  locale: optional(LOCALE_MAX_CHARS),
  app_version: optional(VERSION_MAX_CHARS),
}

const ofApplication = Type.Object(application)
const oneSubscription = Type.Object({ subscription_id: Type.String() })
const registerBody = Type.Object({
  ...application,
  ...told,
  platform: choice(PLATFORMS),
  token: text(TOKEN_MAX_CHARS),
  subscription_id: Type.Optional(Type.String()),
  identity_token: optional(ASSERTION_MAX_CHARS),
})
const updateBody = Type.Object({ ...application, ...told, token: optional(TOKEN_MAX_CHARS) })
const identifyBody = Type.Object({ ...application, identity_token: text(ASSERTION_MAX_CHARS) })
const listQuery = Type.Object({
  ...application,
  external_user_id: optional(IDENTIFIER_MAX_CHARS),
  platform: Type.Optional(choice(PLATFORMS)),
  is_reachable: Type.Optional(Type.Boolean()),
  /** Id of the last one on the page before. */
  before: Type.Optional(Type.String({ format: 'uuid' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
})

const PATH = '/console/api/push/subscriptions'
const FOUND = 'Subscription'
const config = { access: 'portal', rate_class: 'console' } as const

export function pushSubscriptionRoutes(app: App, deps: PushSubscriptionDependencies): void {
  readingRoutes(app, deps)
  changingRoutes(app, deps)
  removingRoute(app, deps)
  userRoutes(app, deps)
}

type Deps = PushSubscriptionDependencies

function readingRoutes(app: App, { accounts, subscriptions }: Deps): void {
  app.get(PATH, { config, schema: { querystring: listQuery } }, async (request) => {
    const { org_id, limit = LISTED_DEFAULT, ...filter } = request.query
    await requireMember(accounts, userOf(request).user_id, org_id)
    return envelope('Subscriptions', await subscriptions.list(org_id, { ...filter, limit }))
  })

  app.get(`${PATH}/counts`, { config, schema: { querystring: ofApplication } }, async (request) => {
    const { org_id, application_id } = request.query
    await requireMember(accounts, userOf(request).user_id, org_id)
    return envelope('Subscriptions', await subscriptions.count(org_id, application_id))
  })

  app.get(
    `${PATH}/:subscription_id`,
    { config, schema: { params: oneSubscription, querystring: ofApplication } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      const key = keyOf(request.params, request.query)
      return envelope(FOUND, found(await subscriptions.find(org_id, key)))
    },
  )
}

function changingRoutes(app: App, { accounts, subscriptions }: Deps): void {
  app.post(PATH, { config, schema: { body: registerBody } }, async (request) => {
    const { org_id, ...registration } = request.body
    await requireAdmin(accounts, userOf(request).user_id, org_id)
    return envelope('Registered', await subscriptions.register(org_id, registration))
  })

  app.patch(
    `${PATH}/:subscription_id`,
    { config, schema: { params: oneSubscription, body: updateBody } },
    async (request) => {
      const { org_id, application_id, ...changes } = request.body
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      const key = keyOf(request.params, { application_id })
      return envelope('Updated', found(await subscriptions.update(org_id, key, changes)))
    },
  )
}

function removingRoute(app: App, { accounts, subscriptions }: Deps): void {
  app.delete(
    `${PATH}/:subscription_id`,
    { config, schema: { params: oneSubscription, querystring: ofApplication } },
    async (request) => {
      const { org_id } = request.query
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      const key = keyOf(request.params, request.query)
      if (!(await subscriptions.remove(org_id, key))) throw notFound()
      return envelope('Subscription deleted', {})
    },
  )
}

function userRoutes(app: App, { accounts, subscriptions }: Deps): void {
  app.post(
    `${PATH}/:subscription_id/identify`,
    { config, schema: { params: oneSubscription, body: identifyBody } },
    async (request) => {
      const { org_id, identity_token } = request.body
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      const key = keyOf(request.params, request.body)
      return envelope(
        'Identified',
        found(await subscriptions.identify(org_id, key, identity_token)),
      )
    },
  )

  app.post(
    `${PATH}/:subscription_id/logout`,
    { config, schema: { params: oneSubscription, body: ofApplication } },
    async (request) => {
      const { org_id } = request.body
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      const key = keyOf(request.params, request.body)
      return envelope('Logged out', found(await subscriptions.logout(org_id, key)))
    },
  )
}

const keyOf = (
  { subscription_id }: Static<typeof oneSubscription>,
  { application_id }: { application_id: string },
) => ({ application_id, id: subscription_id })
