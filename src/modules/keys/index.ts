/** API keys of organisations. */
export type { KeyKind } from './key-text.ts'
export type { CreatedKey, KeyRecord } from './schema.ts'
export { createKeys, type Keys, type Principal } from './service.ts'
