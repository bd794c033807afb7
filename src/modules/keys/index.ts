/** API keys of organizations. */
export { keyRoutes } from './console.ts'
export { findKeysByPart } from './find.store.ts'
export { isInNetworks } from './networks.ts'
export type { CreatedKey, KeyRecord } from './schema.ts'
export { SCOPES, type Scope } from './scopes.ts'
export { createKeys, type Keys, type Principal } from './service.ts'
export { listPublicKeyHashes, type PublicKeyQuery } from './store.ts'
export { createKeyUses, recordKeyUses } from './uses.ts'
