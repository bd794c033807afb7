/** Applications: the apps that mobile push and RUM are about. */
export { otherEnvironment, requireApplication, unknownApplication } from './required.ts'
export type { Application } from './schema.ts'
export {
  type ApplicationDependencies,
  type Applications,
  createApplications,
  type NewApplication,
} from './service.ts'
export { findApplication } from './store.ts'
