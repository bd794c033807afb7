/** Management of Android devices through Google's Android Management API. */

export { createAuditReading } from './audit/reading.ts'
export { auditRoutes } from './audit/routes.ts'
export { mdmConsoleRoutes } from './browsing/console.ts'
export { createMdmBrowsing } from './browsing/service.ts'
export { type Budget, createBudget, REQUEST_CLASSES } from './budget/budget.ts'
export { withBudget } from './budget/with-budget.ts'
export { applyOperations, endCommandsOfDevices } from './commands/completion.ts'
export { progressOf } from './commands/progress.ts'
export { commandRoutes } from './commands/routes.ts'
export { createCommands } from './commands/service.ts'
export { addressesOf, type Connection, createConnection, jwksUrlOf } from './connection/service.ts'
export { type FleetStatus, readFleetStatus } from './connection/store.ts'
export { createDeviceWriter } from './devices/device-writer.ts'
export { createDeviceEditing } from './devices/editing.ts'
export { createDeviceReading } from './devices/reading.ts'
export { deviceRoutes } from './devices/routes.ts'
export { markComplianceDue, sweepFormerNames } from './devices/store.ts'
export { createMdmDispatcher } from './dispatch/dispatcher.ts'
export { enterpriseRoutes } from './enterprise/routes.ts'
export { createEnterprises } from './enterprise/service.ts'
export { groupRoutes } from './groups/routes.ts'
export { createGroups } from './groups/service.ts'
export { enterpriseOf } from './notifications/message.ts'
export { createPuller } from './notifications/puller.ts'
export { notificationRoutes } from './notifications/routes.ts'
export { createNotifications, type Notifications } from './notifications/service.ts'
export { hasEnterprise, listKnownEnterprises } from './notifications/store.ts'
export { overviewRoutes } from './overview/routes.ts'
export { policyRoutes } from './policies/routes.ts'
export { createPolicies } from './policies/service.ts'
export { createAndroidManagement } from './providers/android-management.ts'
export type { AndroidManagement } from './providers/port.ts'
export { PUBLISHER } from './providers/pubsub.ts'
export { createPushVerifier } from './providers/push-token.ts'
export { createCommandChecks } from './reconciliation/command-checks.ts'
export { createComplianceUpdates } from './reconciliation/compliance-updates.ts'
export { createDeviceListings } from './reconciliation/device-listings.ts'
export { createExportLimit } from './reports/export-limit.ts'
export { reportRoutes } from './reports/routes.ts'
export {
  sweepCommands,
  sweepDeviceCounts,
  sweepDevices,
  sweepEnrollmentTokens,
  sweepGroupCommands,
  sweepNotifications,
  sweepSignups,
} from './sweep.store.ts'
export { DISPATCH_KINDS } from './tables.ts'
export { tokenConsoleRoutes } from './tokens/console.ts'
export { tokenRoutes } from './tokens/routes.ts'
export { createTokens } from './tokens/service.ts'
