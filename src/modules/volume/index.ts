/** What was used over time. */
export type { Volume, VolumeStep } from './schema.ts'
export { createVolume, VOLUME_STEPS_MAX, type VolumeQuery, type Volumes } from './service.ts'
