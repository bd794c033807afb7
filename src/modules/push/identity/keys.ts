/**
 * Signing keys of identity assertions, shared by the whole installation. The newest key signs until it
 * reaches its maximum age; the first process that needs a key then creates the next. Older keys verify
 * until they are deleted.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Clock } from '../../../platform/clock.ts'
import { SealedError, type Sealer } from '../../../platform/crypto/sealed.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import {
  findIdentityKey,
  findSigningKey,
  type IdentityKeyRow,
  insertIdentityKey,
  lockIdentityKeys,
} from './store.ts'

export type SigningKey = { id: string; private_key: KeyObject }

export type IdentityKeys = {
  signing(): Promise<SigningKey>
  /** @param id a UUID */
  verifying(id: string): Promise<KeyObject | undefined>
}

export type IdentityKeyOptions = {
  directory: Database
  sealer: Sealer
  clock: Clock
  newId: NewId
  log: Log
  /** Maximum age of a signing key. */
  key_days: number
}

/** A deleted key, for example a compromised one, is out of use on every node after this time. */
const CACHE_MS = 60_000

export function createIdentityKeys(options: IdentityKeyOptions): IdentityKeys {
  const { directory, clock } = options
  const signing = createCached(clock, async () => await loadSigningKey(options))
  const verifying = new Map<string, { key: KeyObject; until: number }>()
  return {
    signing,
    verifying: async (anyCaseId) => {
      // Otherwise each spelling of the id would get its own cache entry.
      const id = anyCaseId.toLowerCase()
      const cached = verifying.get(id)
      const now = clock.now().getTime()
      if (cached && now < cached.until) return cached.key
      // Unknown ids are not cached: clients could fill the memory with invented ones.
      verifying.delete(id)
      const row = await findIdentityKey(directory, id)
      if (!row) return undefined
      const key = createPublicKey({ key: row.public_key, format: 'jwk' })
      verifying.set(id, { key, until: now + CACHE_MS })
      return key
    },
  }
}

const contextOf = (id: string): string => `push_identity_key:${id}`

/** Replaces a key that cannot be opened because its master key is lost; its signatures still verify. */
async function loadSigningKey(options: IdentityKeyOptions): Promise<SigningKey> {
  const { directory, sealer, log, key_days } = options
  const current = await findSigningKey(directory, key_days)
  if (!current) return await openKey(sealer, (await nextKey(options)).row)
  try {
    return await openKey(sealer, current)
  } catch (error) {
    if (!(error instanceof SealedError)) throw error
    const { row, is_new } = await nextKey(options, current.id)
    // Logged once, by the process that created the replacement.
    const fields = { key_id: current.id, about: error.message }
    if (is_new) log.error(fields, 'identity key cannot be opened and was replaced by a new one')
    return await openKey(sealer, row)
  }
}

async function openKey(sealer: Sealer, { id, private_key }: IdentityKeyRow): Promise<SigningKey> {
  const pem = (await sealer.open(private_key, contextOf(id))).toString()
  return { id, private_key: createPrivateKey(pem) }
}

/**
 * When several processes need a new key at the same time, one creates it and the others use it.
 * @param unreadableId id of a current key that cannot be opened
 */
async function nextKey(
  options: IdentityKeyOptions,
  unreadableId?: string,
): Promise<{ row: IdentityKeyRow; is_new: boolean }> {
  const { directory, sealer, key_days } = options
  // Sealed before the transaction, because the sealer may need another connection.
  const generated = await generateKey(sealer, options.newId(options.clock.now()))
  return await directory.transaction().execute(async (tx) => {
    await lockIdentityKeys(tx)
    const other = await findSigningKey(tx, key_days)
    if (other && other.id !== unreadableId) return { row: other, is_new: false }
    await insertIdentityKey(tx, generated)
    return { row: generated, is_new: true }
  })
}

async function generateKey(sealer: Sealer, id: string): Promise<IdentityKeyRow> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const { kty = '', crv = '', x = '' } = publicKey.export({ format: 'jwk' })
  return { id, private_key: await sealer.seal(pem, contextOf(id)), public_key: { kty, crv, x } }
}

/** Loads a value once for concurrent callers, and again when it has expired or loading has failed. */
function createCached<T>(clock: Clock, load: () => Promise<T>): () => Promise<T> {
  let cached: { value: Promise<T>; until: number } | undefined
  return async () => {
    const now = clock.now().getTime()
    if (cached && now < cached.until) return await cached.value
    const loading = { value: load(), until: now + CACHE_MS }
    cached = loading
    try {
      return await loading.value
    } catch (error) {
      if (cached === loading) cached = undefined
      throw error
    }
  }
}
