/** Real user monitoring (RUM): events of browsers and apps, their usage, and their evaluation. */
export { groupEventRow } from './event.ts'
export { rumConsoleRoutes } from './reading/console.ts'
export { createRumReadings } from './reading/readings.ts'
export { createRumTrends } from './reading/trends.ts'
export { rumRoutes } from './routes.ts'
export { createRum, type Rum } from './service.ts'
export { sweepSessions } from './sessions.ts'
