/**
 * Encryption of secrets at rest. Data keys seal values, and the master key wraps the data keys
 * (envelope encryption), so that a new master key rewrites a few small rows and no secret. A sealed
 * value is bound to its context and cannot be opened in another.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { isUuid, type NewId } from '../ids.ts'
import { OperatorError } from '../operator-error.ts'
import type { Database, Db } from '../postgres/db.ts'
import { decrypt, encrypt } from './cipher.ts'
import type { MasterKeys } from './master-key.ts'
import {
  findDataKey,
  findNewestDataKey,
  insertDataKey,
  listDataKeys,
  lockDataKeys,
  updateDataKey,
  type WrappedKey,
} from './store.ts'

export type Sealer = {
  /**
   * @param context purpose and owner, for example `endpoint_secret:<id>`; needed again to open
   * @returns text of the form `v1.<data key id>.<base64url of nonce, ciphertext, tag>`
   */
  seal(plain: Buffer | string, context: string): Promise<string>
  /** @throws SealedError when the text, the context or the keys differ from those of the sealing */
  open(sealed: string, context: string): Promise<Buffer>
  /** Wraps every data key by the current master key. All sealed values stay readable. */
  rotate(): Promise<{ rewrapped: number }>
}

export type SealerOptions = { db: Database; masterKeys: MasterKeys; newId: NewId; clock: Clock }

/** A sealed value cannot be opened. The message gives the reason and shows nothing of the value. */
export class SealedError extends OperatorError {}

type DataKey = { id: string; key: Buffer }

const VERSION = 'v1'
const DATA_KEY_BYTES = 32

/**
 * The first use reads a data key over a separate connection. Use the sealer once at startup, or
 * outside of transactions: otherwise waiting transactions can starve it of connections.
 */
export function createSealer(options: SealerOptions): Sealer {
  const { db, masterKeys } = options
  const opened = new Map<string, DataKey>()
  let current: DataKey | undefined

  const cache = (key: DataKey): DataKey => {
    opened.set(key.id, key)
    return key
  }

  const currentKey = async (): Promise<DataKey> => {
    if (current === undefined) {
      const newest = await findNewestDataKey(db)
      current = cache(newest ? unwrap(masterKeys, newest) : await createFirstKey(options))
    }
    return current
  }

  const keyOf = async (id: string): Promise<DataKey> => {
    const known = opened.get(id)
    if (known) return known
    const row = await findDataKey(db, id)
    if (row === undefined) throw new SealedError(`There is no data key ${id} in this database`)
    return cache(unwrap(masterKeys, row))
  }

  return {
    seal: async (plain, context) => {
      const { id, key } = await currentKey()
      const box = encrypt(key, Buffer.from(plain), boundTo(id, context))
      return [VERSION, id, box.toString('base64url')].join('.')
    },
    open: async (sealed, context) => {
      const [version, id = '', box = '', ...rest] = sealed.split('.')
      if (version !== VERSION || !isUuid(id) || rest.length > 0) {
        throw new SealedError('This is not a sealed value')
      }
      const { key } = await keyOf(id)
      const plain = decrypt(key, Buffer.from(box, 'base64url'), boundTo(id, context))
      if (plain === undefined) {
        throw new SealedError('A sealed value was changed, or belongs to something else')
      }
      return plain
    },
    rotate: async () =>
      await db.transaction().execute(async (tx) => {
        await lockDataKeys(tx)
        return { rewrapped: await rewrapDataKeys(tx, masterKeys) }
      }),
  }
}

/** When several nodes start together, one generates the key and the others find it. */
async function createFirstKey({ db, masterKeys, newId, clock }: SealerOptions): Promise<DataKey> {
  return await db.transaction().execute(async (tx) => {
    await lockDataKeys(tx)
    const existing = await findNewestDataKey(tx)
    if (existing) return unwrap(masterKeys, existing)
    const key = { id: newId(clock.now()), key: randomBytes(DATA_KEY_BYTES) }
    await insertDataKey(tx, wrap(masterKeys, key))
    return key
  })
}

/** @returns the number of data keys that an older master key had wrapped */
export async function rewrapDataKeys(tx: Db, masterKeys: MasterKeys): Promise<number> {
  const currentId = masterKeys.current.id
  const outdated = (await listDataKeys(tx)).filter((row) => row.master_key_id !== currentId)
  for (const row of outdated) await updateDataKey(tx, wrap(masterKeys, unwrap(masterKeys, row)))
  return outdated.length
}

const boundTo = (dataKeyId: string, context: string): string => `${VERSION}.${dataKeyId}.${context}`

const wrappedAs = (dataKeyId: string): string => `data_key:${dataKeyId}`

function wrap(masterKeys: MasterKeys, { id, key }: DataKey): WrappedKey {
  const master = masterKeys.current
  return { id, master_key_id: master.id, wrapped_key: encrypt(master.key, key, wrappedAs(id)) }
}

function unwrap(masterKeys: MasterKeys, row: WrappedKey): DataKey {
  const master = masterKeys.find(row.master_key_id)
  if (master === undefined) {
    throw new SealedError(
      `The secrets in this database are sealed by master key ${row.master_key_id}, which is not configured. Restore that key in the settings or in the data folder.`,
    )
  }
  const key = decrypt(master.key, row.wrapped_key, wrappedAs(row.id))
  if (key === undefined) throw new SealedError(`Data key ${row.id} was changed in the database`)
  return { id: row.id, key }
}
