/** API keys of organizations. */
export { keyRoutes } from './console.ts'

export type { KeyRecord } from './schema.ts'
export { createKeys, type Keys, type Principal } from './service.ts'
