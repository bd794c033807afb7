/**
 * The keys behind identity assertions, of the whole installation. The newest signs until it is old; then
 * whoever needs one makes the next. All that are stored verify, on every node.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Clock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/sealed.ts'
import type { NewId } from '../../../platform/ids.ts'
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
  /** A key signs for so long. */
  key_days: number
}

/** A key that is deleted, because it became known, is out of use everywhere after this time. */
const KEPT_MS = 60_000

export function createIdentityKeys(options: IdentityKeyOptions): IdentityKeys {
  const { db, sealer, clock } = options
  const signing = createKept(clock, async () => {
    const row = await signingRow(options)
    const pem = (await sealer.open(row.private_key, contextOf(row.id))).toString()
    return { id: row.id, private_key: createPrivateKey(pem) }
  })
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

/** Of processes that find no young key at the same time, one makes it and the others take it. */
async function signingRow(options: IdentityKeyOptions): Promise<IdentityKeyRow> {
  const { db, sealer, key_days } = options
  const young = await findSigningKey(db, key_days)
  if (young) return young
  // Sealed before the transaction: the sealer may need a connection of its own.
  const made = await makeRow(sealer, options.newId(options.clock.now()))
  return await db.transaction().execute(async (tx) => {
    await lockIdentityKeys(tx)
    const other = await findSigningKey(tx, key_days)
    if (other) return other
    await insertIdentityKey(tx, made)
    return made
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
