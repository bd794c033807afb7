/** Edge devices: what they log, which there are, and rules that watch over them. */
export { createMinuteCounts } from './alerts/counting/store.ts'
export { type AlertRouteDependencies, edgeAlertRoutes } from './alerts/routes.ts'
export { type AlertLimits, alertSchemas } from './alerts/schema.ts'
export { type Alerts, createAlerts } from './alerts/service.ts'
export { placeOf as devicePlaceOf } from './devices/browsing/page.ts'
export { type DeviceRouteDependencies, edgeDeviceRoutes } from './devices/routes.ts'
export { createDevices, type Devices } from './devices/service.ts'
export { edgeLogIngestRoutes, type LogIngestRouteDependencies } from './logs/ingest/routes.ts'
export { createLogIngest, type LogIngest } from './logs/ingest/service.ts'
export { askedFilters } from './logs/reading/asked.ts'
export {
  createLogExplorer,
  type LogExplorer,
} from './logs/reading/explorer/service.ts'
export { edgeLogReadingRoutes, type LogReadingRouteDependencies } from './logs/reading/routes.ts'
export { type ReadingLimits, readingQueries } from './logs/reading/schema.ts'
export { createLogReading, type LogReading } from './logs/reading/service.ts'
export { EVENT_STREAM, eventStream } from './logs/tail/event-stream.ts'
export { createTail, type Tail } from './logs/tail/hub.ts'
export { newSearch, searchChange } from './searches/schema.ts'
export { createSearches, type Searches } from './searches/service.ts'
