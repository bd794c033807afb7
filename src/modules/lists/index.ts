/** Identities that an organization allows, blocks or watches. */
export { listConsoleRoutes } from './console.ts'
export type { EntrySet, Identities } from './match.ts'
export type { ListedEntry } from './schema.ts'
export { createLists, type Lists } from './service.ts'
export { raiseVersion, sweepExpired } from './store.ts'
export type { ListKind } from './tables.ts'
