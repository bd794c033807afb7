/** What configuration files have set in an organization. */
export { configurationRoutes } from './console.ts'
export type { ManagedItem } from './schema.ts'
export { createConfiguration } from './service.ts'
export { ITEM_KINDS, type ItemKind } from './tables.ts'
