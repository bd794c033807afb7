export { volumeRoutes } from './console.ts'
export type { Volume, VolumeStep } from './schema.ts'
export { createVolume, type Volumes } from './service.ts'
export { findFoldedUntil } from './store.ts'
