/**
 * The console's API: sign-in, the signed-in user, organisations and their members, keys, credits and
 * requests, the review queue and webhooks. Other areas register theirs in console.ts.
 * Outside /v1, so it may change freely (OP-36).
 */
import type { WebhookOperations, Webhooks } from '../modules/webhooks/index.ts'
import type { App } from '../platform/http/app.ts'
import type { Limits } from '../platform/http/schemas.ts'
import { invitationRoutes } from './accounts/invitations.ts'
import { memberRoutes } from './accounts/members.ts'
import { type OrganizationRouteDependencies, organizationRoutes } from './accounts/organizations.ts'
import { profileRoutes } from './accounts/profile.ts'
import { type SignInDependencies, signInRoutes } from './accounts/routes.ts'
import { type CreditRouteDependencies, creditRoutes } from './developers/credits.ts'
import { type KeyRouteDependencies, keyRoutes } from './developers/keys.ts'
import { type RequestRouteDependencies, requestRoutes } from './developers/requests.ts'
import { type ReviewRouteDependencies, reviewRoutes } from './reviews.ts'
import { webhookConsoleRoutes } from './webhooks.ts'

export type ConsoleDependencies = SignInDependencies &
  OrganizationRouteDependencies &
  KeyRouteDependencies &
  CreditRouteDependencies &
  RequestRouteDependencies &
  ReviewRouteDependencies & {
    webhooks: Webhooks
    webhook_operations: WebhookOperations
    field_limits: Limits
  }

export function consoleRoutes(app: App, deps: ConsoleDependencies): void {
  signInRoutes(app, deps)
  profileRoutes(app, deps)
  organizationRoutes(app, deps)
  memberRoutes(app, deps)
  invitationRoutes(app, deps)
  keyRoutes(app, deps)
  creditRoutes(app, deps)
  requestRoutes(app, deps)
  reviewRoutes(app, deps)
  webhookConsoleRoutes(app, { ...deps, operations: deps.webhook_operations })
}
