/** Real-user monitoring: events of browsers and apps, their usage, and what is read of them. */
export { DEVICE_CLASSES } from './device-class.ts'
export { createRumReadings, type ReadingQuery, type RumReadings } from './reading/readings.ts'
export { createRumTrends, type RumTrends } from './reading/trends/trends.ts'
export { type RumRouteDependencies, rumRoutes } from './routes.ts'
export { createRum, type Rum, type RumDependencies } from './service.ts'
export { sweepSessions } from './sessions.ts'
export { VITALS } from './vitals.ts'
