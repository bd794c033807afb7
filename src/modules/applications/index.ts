/** Applications: the mobile apps that receive push notifications and report RUM events. */

export { applicationConsoleRoutes } from './console.ts'
export { findApplicationsByPart } from './find.store.ts'
export { otherEnvironment, requireApplication, unknownApplication } from './require-application.ts'
export type { Application } from './schema.ts'
export { type Applications, createApplications } from './service.ts'
export { findApplication } from './store.ts'
