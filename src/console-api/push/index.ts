/** Applications and all of push that has no documented path (OP-35), for members of an organisation. */
import type { App } from '../../platform/http/app.ts'
import { type ApplicationConsoleDependencies, applicationConsoleRoutes } from './applications.ts'
import { type CredentialConsoleDependencies, credentialConsoleRoutes } from './credentials.ts'
import { type PushMessageConsoleDependencies, pushMessageRoutes } from './messages.ts'
import { type PushReceiptDependencies, pushReceiptRoutes } from './receipts.ts'
import { type PushSubscriptionDependencies, pushSubscriptionRoutes } from './subscriptions.ts'

export type PushConsoleDependencies = ApplicationConsoleDependencies &
  CredentialConsoleDependencies &
  PushMessageConsoleDependencies &
  PushReceiptDependencies &
  PushSubscriptionDependencies

export function pushConsoleRoutes(app: App, deps: PushConsoleDependencies): void {
  applicationConsoleRoutes(app, deps)
  credentialConsoleRoutes(app, deps)
  pushSubscriptionRoutes(app, deps)
  pushMessageRoutes(app, deps)
  pushReceiptRoutes(app, deps)
}
