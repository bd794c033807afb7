import type { KeyedHash } from '../crypto/keyed-hash.ts'
import type { Mode } from '../postgres/tables/platform.ts'

/** Under which id the state of something is kept; live and test states never meet. */
export type StateId = (
  owner: { org_id: string; mode: Mode },
  kind: string,
  ...names: string[]
) => string

/** Some of these ids are shown, so they have the form of a UUID version 8 (RFC 9562). */
export const createStateId =
  (hash: KeyedHash): StateId =>
  ({ org_id, mode }, kind, ...names) => {
    const id = hash('state', org_id, mode, kind, ...names)
    const variant = '89ab'.charAt(Number.parseInt(id.charAt(19), 16) & 3)
    return `${id.slice(0, 14)}8${id.slice(15, 19)}${variant}${id.slice(20)}`
  }
