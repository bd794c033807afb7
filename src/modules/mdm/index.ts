/** Android devices, managed through the Android Management API of Google. */

export { createAuditReading } from './audit/reading.ts'
export { auditRoutes } from './audit/routes.ts'
export { createMdmBrowsing, type MdmBrowsing } from './browsing/service.ts'
export { type Budget, createBudget, REQUEST_CLASSES, type RequestLimits } from './budget/budget.ts'
export { withBudget } from './budget/with-budget.ts'
export { applyOperations, endCommandsOfDevices } from './commands/completion.ts'
export { progressOf } from './commands/progress/progress.ts'
export { commandRoutes } from './commands/routes.ts'
export { createCommands } from './commands/service.ts'
export { addressesOf, type Connection, createConnection, jwksUrlOf } from './connection/service.ts'
export { type Backlog, readStanding, type Standing } from './connection/store.ts'
export { createDeviceWriter } from './devices/apply.ts'
export { createDeviceEditing } from './devices/editing.ts'
export { createDeviceReading } from './devices/reading.ts'
export { deviceRoutes } from './devices/routes.ts'
export { markComplianceDue, sweepFormerNames } from './devices/store.ts'
export { createMdmDispatcher } from './dispatch/dispatch.ts'
export { enterpriseRoutes } from './enterprise/routes.ts'
export { createEnterprises } from './enterprise/service.ts'
export { groupRoutes } from './groups/routes.ts'
export { createGroups } from './groups/service.ts'
export { createPuller, type Puller } from './notifications/puller.ts'
export { notificationRoutes } from './notifications/routes.ts'
export { createNotifications, type Notifications } from './notifications/service.ts'
export { hasEnterprise } from './notifications/store.ts'
export { overviewRoutes } from './overview/routes.ts'
export { findPolicyFaults } from './policies/faults.ts'
export { policyRoutes } from './policies/routes.ts'
export { createPolicies, type Policies } from './policies/service.ts'
export {
  type AndroidManagementOptions,
  createAndroidManagement,
  type GoogleAndroidManagement,
} from './providers/android-management.ts'
export type { AndroidManagement } from './providers/port.ts'
export { PUBLISHER } from './providers/pubsub.ts'
export { createPushVerifier, type VerifyPush } from './providers/push-token.ts'
export { createCommandChecks } from './reconciliation/commands.ts'
export { createComplianceFlips } from './reconciliation/compliance.ts'
export { createDeviceListings } from './reconciliation/devices.ts'
export { reportRoutes } from './reports/routes.ts'
export { createExports } from './reports/running.ts'
export {
  sweepCommands,
  sweepDeviceCounts,
  sweepDevices,
  sweepEnrollmentTokens,
  sweepGroupCommands,
  sweepNotifications,
  sweepSignups,
} from './sweep/store.ts'
export { tokenRoutes } from './tokens/routes.ts'
export { createTokens } from './tokens/service.ts'
