/**
 * Secrets of the installation itself (the signing key of access tokens, the pepper of hashed
 * identities). Each is generated once, stored sealed and shared by all nodes.
 */
import { randomBytes } from 'node:crypto'
import type { Db } from '../postgres/db.ts'
import type { Sealer } from './sealed.ts'
import { findInstallationSecret, insertInstallationSecret } from './store.ts'

/** @returns the stored secret; the first call for a name generates `bytes` random bytes */
export async function installationSecret(
  db: Db,
  sealer: Sealer,
  name: string,
  bytes: number,
): Promise<Buffer> {
  const context = `installation_secret:${name}`
  const existing = await findInstallationSecret(db, name)
  if (existing !== undefined) return await sealer.open(existing, context)
  await insertInstallationSecret(db, name, await sealer.seal(randomBytes(bytes), context))
  // Another node may have stored its secret first, and then that one is used.
  const stored = await findInstallationSecret(db, name)
  if (stored === undefined) throw new Error(`The installation secret ${name} was not stored`)
  return await sealer.open(stored, context)
}
