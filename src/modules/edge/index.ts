/** Edge devices: what they log, which there are, and rules that watch over them. */
export { createMinuteCounts } from './alerts/counting/store.ts'
export { type AlertRouteDependencies, edgeAlertRoutes } from './alerts/routes.ts'
export { type Alerts, createAlerts } from './alerts/service.ts'
export { type DeviceRouteDependencies, edgeDeviceRoutes } from './devices/routes.ts'
export { createDevices, type Devices } from './devices/service.ts'
export { edgeLogIngestRoutes, type LogIngestRouteDependencies } from './logs/ingest/routes.ts'
export { createLogIngest, type LogIngest } from './logs/ingest/service.ts'
