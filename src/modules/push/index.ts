/** Mobile push: notifications for Android devices through FCM and for Apple's through APNs. */

export { createPushConfigurations, type PushConfigurations } from './configurations/service.ts'
export { type CredentialKeeper, createCredentialKeeper } from './credentials/keeper.ts'
export type { ShownCredential } from './credentials/schema.ts'
export { createPushCredentials, type PushCredentials } from './credentials/service.ts'
export { createTestSends, type TestSends } from './credentials/testing.ts'
export type { Upload } from './credentials/upload.ts'
export { createPushDispatcher } from './dispatch/dispatch.ts'
export { createExpander } from './expansion/expander.ts'
export { ASSERTION_MAX_CHARS } from './identity/assertion.ts'
export { pushIdentityRoutes } from './identity/routes.ts'
export { createPushIdentity, type PushIdentity } from './identity/service.ts'
export { sweepIdentityKeys, sweepIdentityUses } from './identity/store.ts'
export { sweepPushMessages } from './messages/ending/store.ts'
export { expireRecipients } from './messages/expiry.ts'
export { readIdempotencyKey } from './messages/idempotency.ts'
export { sweepIdempotencyKeys } from './messages/keys/store.ts'
export {
  type Changed,
  createMessageOperations,
  type MessageOperations,
  recipientPlaceOf,
} from './messages/operations.ts'
export { type MessageDetails, SHOWN_STATUSES } from './messages/reading/schema.ts'
export { messageRoutes } from './messages/routes.ts'
export { type MessageLimits, messageSchemas } from './messages/schema.ts'
export { createMessages, type Messages } from './messages/service.ts'
export { createPushOverview, type PushOverview } from './overview/service.ts'
export { readApplicationStanding, readPushStanding } from './overview/store.ts'
export { closeSenders, createPushSenders } from './providers/senders.ts'
export { RECEIPT_KINDS } from './receipts/receipt.ts'
export { createReceipts, type Receipts } from './receipts/service.ts'
export { sweepDeletedApplications } from './removal/store.ts'
export { sweepSubscriptions } from './subscriptions/forgetting/store.ts'
export { PLATFORMS } from './subscriptions/schema.ts'
export { createSubscriptions, type Subscriptions } from './subscriptions/service.ts'
export { TOKEN_MAX_CHARS } from './subscriptions/token.ts'
