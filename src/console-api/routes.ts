/**
 * The console's API: sign-in, the signed-in user, the keys and credits of an organisation, its
 * review queue and its webhooks.
 * Outside /v1, so it may change freely (OP-36).
 */
import { Type } from 'typebox'
import { type Accounts, PasswordsBusyError, requireAdmin } from '../modules/accounts/index.ts'
import type { Billing } from '../modules/billing/index.ts'
import type { Keys } from '../modules/keys/index.ts'
import type { Reviews } from '../modules/reviews/index.ts'
import type { WebhookOperations } from '../modules/webhooks/index.ts'
import { type RateClass, userOf } from '../platform/http/access.ts'
import type { App } from '../platform/http/app.ts'
import { envelope } from '../platform/http/envelope.ts'
import { AppError, notFound, tooManyRequests } from '../platform/http/errors.ts'
import type { RateLimits } from '../platform/http/rate-limit.ts'
import { choice } from '../platform/http/schemas.ts'
import { KEY_TYPES } from '../platform/postgres/tables/accounts.ts'
import { reviewRoutes } from './reviews.ts'
import { webhookConsoleRoutes } from './webhooks.ts'

export type ConsoleDependencies = {
  accounts: Accounts
  keys: Keys
  billing: Billing
  reviews: Reviews
  webhook_operations: WebhookOperations
  limits: RateLimits<RateClass>
}

const EMAIL_MAX_CHARS = 320
const SECRET_MAX_CHARS = 1024

const credentials = Type.Object({
  email: Type.String({ minLength: 1, maxLength: EMAIL_MAX_CHARS }),
  password: Type.String({ minLength: 1, maxLength: SECRET_MAX_CHARS }),
})
const refreshToken = Type.Object({
  refresh_token: Type.String({ minLength: 1, maxLength: SECRET_MAX_CHARS }),
})
const organization = Type.Object({ org_id: Type.String() })
const organizationAndKey = Type.Object({ org_id: Type.String(), key_id: Type.String() })

export function consoleRoutes(app: App, deps: ConsoleDependencies): void {
  signInRoutes(app, deps)
  organizationRoutes(app, deps)
  reviewRoutes(app, deps)
  webhookConsoleRoutes(app, { ...deps, operations: deps.webhook_operations })
}

function signInRoutes(app: App, { accounts, limits }: ConsoleDependencies): void {
  const config = { access: 'public', rate_class: 'sign_in' } as const

  app.post(
    '/console/api/auth/login',
    { config, schema: { body: credentials } },
    async (request) => {
      const { email, password } = request.body
      // Counted per e-mail too, so that many addresses cannot guess at one account.
      const retryAfter = await limits.consume('sign_in', `email:${foldEmail(email)}`)
      if (retryAfter !== undefined) throw tooManyRequests(retryAfter)
      const tokens = await accounts.signIn(email, password).catch((error: unknown) => {
        if (error instanceof PasswordsBusyError) throw tooManyRequests(1)
        throw error
      })
      if (!tokens) throw new AppError(401, { message: 'Wrong e-mail or password' })
      return envelope('Signed in', tokens)
    },
  )

  app.post(
    '/console/api/auth/refresh',
    { config, schema: { body: refreshToken } },
    async (request) => {
      const tokens = await accounts.refresh(request.body.refresh_token)
      if (!tokens) throw new AppError(401, { message: 'Invalid refresh token' })
      return envelope('Refreshed', tokens)
    },
  )

  app.post(
    '/console/api/auth/logout',
    { config, schema: { body: refreshToken } },
    async (request) => {
      await accounts.signOut(request.body.refresh_token)
      return envelope('Signed out', {})
    },
  )
}

/**
 * Coarser than the database, which looks e-mails up by `lower()`: two spellings that find the same
 * account count as one, whatever the locale of the database makes of `İ`, `ς` or `ß`.
 */
const foldEmail = (email: string): string =>
  email.trim().normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase().toLowerCase()

function organizationRoutes(app: App, { accounts, keys, billing }: ConsoleDependencies): void {
  const config = { access: 'portal', rate_class: 'console' } as const

  app.get('/console/api/me', { config }, async (request) => {
    const { user_id } = userOf(request)
    const organizations = await accounts.listOrganizations(user_id)
    return envelope('Signed-in user', { user_id, organizations })
  })

  app.get(
    '/console/api/keys',
    { config, schema: { querystring: organization } },
    async (request) => {
      const { org_id } = request.query
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      return envelope('Keys', await keys.list(org_id))
    },
  )

  app.post(
    '/console/api/keys',
    { config, schema: { body: Type.Object({ org_id: Type.String(), type: choice(KEY_TYPES) }) } },
    async (request) => {
      const { org_id, type } = request.body
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      return envelope('Key created; it is not shown again', await keys.create(org_id, type))
    },
  )

  app.post(
    '/console/api/keys/roll',
    { config, schema: { body: organizationAndKey } },
    async (request) => {
      const { org_id, key_id } = request.body
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      const created = await keys.roll(org_id, key_id)
      if (!created) throw notFound()
      return envelope('Key rolled; the old one is revoked', created)
    },
  )

  app.post(
    '/console/api/keys/revoke',
    { config, schema: { body: organizationAndKey } },
    async (request) => {
      const { org_id, key_id } = request.body
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      if (!(await keys.revoke(org_id, key_id))) throw notFound()
      return envelope('Key revoked', {})
    },
  )

  app.get(
    '/console/api/credits',
    { config, schema: { querystring: organization } },
    async (request) => {
      const { org_id } = request.query
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      return envelope('Credits', await billing.funds(org_id))
    },
  )
}
