/**
 * Secrets of the installation itself (signing key of access tokens, pepper of hashed identities):
 * made once, sealed, and the same on every node.
 */
import { randomBytes } from 'node:crypto'
import type { Db } from '../postgres/db.ts'
import type { Sealer } from './sealed.ts'
import { findInstallationSecret, insertInstallationSecret } from './store.ts'

/** @returns the secret of that name; `bytes` random bytes when it did not exist yet */
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
  // Another node may have been first; its secret is the one that counts.
  const stored = await findInstallationSecret(db, name)
  if (stored === undefined) throw new Error(`The installation secret ${name} was not stored`)
  return await sealer.open(stored, context)
}
