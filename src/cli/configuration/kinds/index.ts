/** Every kind of item that files can have. */
import type { ItemKind } from '../../../modules/configuration/index.ts'
import { pushApplications, webhookEndpoints } from './delivery.ts'
import { deviceGroups, devicePolicies } from './devices.ts'
import { listEntries, orderRules } from './fraud.ts'
import type { Kind } from './kind.ts'
import { logDashboard, savedSearches } from './logs.ts'
import { alertRules, notificationChannels, notificationRoutes } from './notifications.ts'
import { apiKeys, members } from './people.ts'
import { caseSettings, creditSettings } from './settings.ts'
import { signInPolicy, signInProvider } from './sign-in.ts'

export type { Context } from './kind.ts'

export const KINDS: Readonly<Record<ItemKind, Kind>> = {
  members,
  api_keys: apiKeys,
  order_rules: orderRules,
  list_entries: listEntries,
  alert_rules: alertRules,
  push_applications: pushApplications,
  notification_channels: notificationChannels,
  notification_routes: notificationRoutes,
  webhook_endpoints: webhookEndpoints,
  device_policies: devicePolicies,
  device_groups: deviceGroups,
  saved_searches: savedSearches,
  log_dashboard: logDashboard,
  case_settings: caseSettings,
  credit_settings: creditSettings,
  sign_in_provider: signInProvider,
  sign_in_policy: signInPolicy,
}
