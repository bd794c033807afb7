/** Webhook endpoints, what is delivered to them, and how. */
export { sweepDeletedEndpoints, sweepDeliveries } from './deliveries/store.ts'
export { createWebhookDispatcher, type WebhookDispatchOptions } from './dispatch.ts'
export { createWebhookHistory, type WebhookHistory } from './history/service.ts'
export { createWebhookOperations, type WebhookOperations } from './operations.ts'
export { webhookRoutes } from './routes.ts'
export { webhookSchemas } from './schema.ts'
export { createWebhooks, type Webhooks } from './service.ts'
