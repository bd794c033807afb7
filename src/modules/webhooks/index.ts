/** Webhook endpoints and the delivery of events to them. */

export { readWebhookBacklog } from './backlog.store.ts'
export { webhookConsoleRoutes } from './console.ts'
export { sweepDeletedEndpoints, sweepDeliveries } from './deliveries.store.ts'
export { createWebhookDispatcher } from './dispatch.ts'
export { createEndpointExtras } from './extras.ts'
export { webhookHistoryRoutes } from './history/console.ts'
export { findDeliveriesByPart, findEndpointsByPart } from './history/find.store.ts'
export { createWebhookHistory } from './history/service.ts'
export { createWebhookOperations, type WebhookOperations } from './operations.ts'
export { webhookRoutes } from './routes.ts'
export { createWebhooks, type Webhooks } from './service.ts'
export { newSecret, signedHeaders } from './signature.ts'
