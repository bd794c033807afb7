/** Webhook endpoints and the delivery of events to them. */

export { readWebhookBacklog } from './backlog.store.ts'
export { describeEvents, sampleEvent } from './catalog.ts'
export { readReplay, replayBody, rollBody, testBody, webhookConsoleRoutes } from './console.ts'
export { expireDeliveries, findDelivery, sweepDeletedEndpoints } from './deliveries.store.ts'
export { createWebhookDispatcher } from './dispatch.ts'
export { findEndpoint, markDeleted } from './endpoints.store.ts'
export { filterPath } from './extras/filter.ts'
export { eventFilter } from './extras/schema.ts'
export { createEndpointExtras, type EndpointExtras, extrasBody } from './extras/service.ts'
export {
  deliveriesQuery,
  HOURS_DEFAULT,
  hoursQuery,
  oneDelivery,
  oneEndpoint,
  webhookHistoryRoutes,
} from './history/console.ts'
export { findDeliveriesByPart, findEndpointsByPart } from './history/find.store.ts'
export { createWebhookHistory, type WebhookHistory } from './history/service.ts'
export { readRates as readDeliveryRates } from './history/store.ts'
export { createWebhookOperations, type WebhookOperations } from './operations.ts'
export { webhookRoutes } from './routes.ts'
export { webhookSchemas } from './schema.ts'
export { createWebhooks, type WebhookDependencies, type Webhooks } from './service.ts'
export { newSecret, signedHeaders } from './signature.ts'
