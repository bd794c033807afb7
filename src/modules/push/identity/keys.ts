/**
 * The keys behind identity assertions, of the whole installation. The newest signs until it is old; then
 * whoever needs one makes the next. All that are stored verify, on every node.
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
  db: Database
  sealer: Sealer
  clock: Clock
  newId: NewId
  log: Log
  /** A key signs for so long. */
  key_days: number
}

/** A key that is deleted, because it became known, is out of use everywhere after this time. */
const KEPT_MS = 60_000

export function createIdentityKeys(options: IdentityKeyOptions): IdentityKeys {
  const { db, clock } = options
  const signing = createKept(clock, async () => await loadSigningKey(options))
  const verifying = new Map<string, { key: KeyObject; until: number }>()
  return {
    signing,
    verifying: async (given) => {
      // Else each way to write it would be kept.
      const id = given.toLowerCase()
      const kept = verifying.get(id)
      const now = clock.now().getTime()
      if (kept && now < kept.until) return kept.key
      // What is not there is not remembered: anybody can make up ids.
      verifying.delete(id)
      const row = await findIdentityKey(db, id)
      if (!row) return undefined
      const key = createPublicKey({ key: row.public_key, format: 'jwk' })
      verifying.set(id, { key, until: now + KEPT_MS })
      return key
    },
  }
}

const contextOf = (id: string): string => `push_identity_key:${id}`

/** A key that was sealed by a master key which is lost signs no more; what it signed still verifies. */
async function loadSigningKey(options: IdentityKeyOptions): Promise<SigningKey> {
  const { db, sealer, log, key_days } = options
  const young = await findSigningKey(db, key_days)
  if (!young) return await openKey(sealer, (await takeNext(options)).row)
  try {
    return await openKey(sealer, young)
  } catch (error) {
    if (!(error instanceof SealedError)) throw error
    const { row, is_made } = await takeNext(options, young.id)
    // By the one that made it, so that it is said once.
    const said = { key_id: young.id, about: error.message }
    if (is_made) log.error(said, 'an identity key cannot be opened; a new one signs in its place')
    return await openKey(sealer, row)
  }
}

async function openKey(sealer: Sealer, { id, private_key }: IdentityKeyRow): Promise<SigningKey> {
  const pem = (await sealer.open(private_key, contextOf(id))).toString()
  return { id, private_key: createPrivateKey(pem) }
}

/**
 * Of processes that need another key at the same time, one makes it and the others take it.
 * @param uselessId of one that is young, and no good
 */
async function takeNext(
  options: IdentityKeyOptions,
  uselessId?: string,
): Promise<{ row: IdentityKeyRow; is_made: boolean }> {
  const { db, sealer, key_days } = options
  // Sealed before the transaction: the sealer may need a connection of its own.
  const made = await makeRow(sealer, options.newId(options.clock.now()))
  return await db.transaction().execute(async (tx) => {
    await lockIdentityKeys(tx)
    const other = await findSigningKey(tx, key_days)
    if (other && other.id !== uselessId) return { row: other, is_made: false }
    await insertIdentityKey(tx, made)
    return { row: made, is_made: true }
  })
}

async function makeRow(sealer: Sealer, id: string): Promise<IdentityKeyRow> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const { kty = '', crv = '', x = '' } = publicKey.export({ format: 'jwk' })
  return { id, private_key: await sealer.seal(pem, contextOf(id)), public_key: { kty, crv, x } }
}

/** Loads once for all who ask at the same time, and anew when it is old or has failed. */
function createKept<T>(clock: Clock, load: () => Promise<T>): () => Promise<T> {
  let kept: { value: Promise<T>; until: number } | undefined
  return async () => {
    const now = clock.now().getTime()
    if (kept && now < kept.until) return await kept.value
    const loading = { value: load(), until: now + KEPT_MS }
    kept = loading
    try {
      return await loading.value
    } catch (error) {
      if (kept === loading) kept = undefined
      throw error
    }
  }
}
