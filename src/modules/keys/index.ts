/** API keys of organisations. */
export type { KeyKind } from './key-text.ts'
export { type CreatedKey, createKeys, type Keys, type Principal } from './service.ts'
export type { KeyRecord } from './store.ts'
