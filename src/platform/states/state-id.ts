import type { KeyedHash } from '../crypto/keyed-hash.ts'
import type { Owner } from '../owner.ts'

/** Computes the id of a state; live and test states have different ids. */
export type StateId = (owner: Owner, kind: string, ...names: string[]) => string

/** Some of these ids are returned to clients, so they are UUIDs of version 8 (RFC 9562). */
export const createStateId =
  (hash: KeyedHash): StateId =>
  ({ org_id, mode }, kind, ...names) => {
    const id = hash('state', org_id, mode, kind, ...names)
    const variant = '89ab'.charAt(Number.parseInt(id.charAt(19), 16) & 3)
    return `${id.slice(0, 14)}8${id.slice(15, 19)}${variant}${id.slice(20)}`
  }
