/**
 * The key of a backup: 32 random bytes, wrapped by a key derived from the master key, and by one derived
 * from a passphrase if there is one. The master key itself is never part of a backup.
 */
import { hkdfSync, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { decrypt, encrypt } from '../crypto/cipher.ts'
import type { MasterKeys } from '../crypto/master-key.ts'
import { OperatorError } from '../operator-error.ts'

export type WrappedBackupKey =
  | { kind: 'master_key'; master_key_id: string; wrapped: string }
  | { kind: 'passphrase'; salt: string; wrapped: string }

export type KeySources = {
  /** Undefined where no master key is available, which is enough for a backup with a passphrase. */
  masterKeys: MasterKeys | undefined
  passphrase: string | undefined
}

const KEY_BYTES = 32
const SALT_BYTES = 16
/** 128 MB and about half a second for each attempt to guess a passphrase (RFC 7914). */
const SCRYPT = { N: 131_072, r: 8, p: 1, maxmem: 268_435_456 }
const PURPOSE = 'vigil backup'

const derive = promisify<string, Buffer, number, typeof SCRYPT, Buffer>(scrypt)

const fromMasterKey = (key: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), PURPOSE, KEY_BYTES))

/** @param id of the backup, to which the wrapped keys are bound */
export async function createBackupKey(
  id: string,
  { masterKeys, passphrase }: KeySources,
): Promise<{ key: Buffer; wrapped: WrappedBackupKey[] }> {
  const key = randomBytes(KEY_BYTES)
  const wrapped: WrappedBackupKey[] = []
  if (masterKeys) {
    const { id: master_key_id, key: master } = masterKeys.current
    const box = encrypt(fromMasterKey(master), key, id).toString('base64')
    wrapped.push({ kind: 'master_key', master_key_id, wrapped: box })
  }
  if (passphrase !== undefined) {
    const salt = randomBytes(SALT_BYTES)
    const derived = await derive(passphrase, salt, KEY_BYTES, SCRYPT)
    const box = encrypt(derived, key, id).toString('base64')
    wrapped.push({ kind: 'passphrase', salt: salt.toString('base64'), wrapped: box })
  }
  return { key, wrapped }
}

/** @throws OperatorError if neither the master key nor the passphrase opens it */
export async function openBackupKey(
  id: string,
  wrapped: readonly WrappedBackupKey[],
  { masterKeys, passphrase }: KeySources,
): Promise<Buffer> {
  for (const each of wrapped) {
    const box = Buffer.from(each.wrapped, 'base64')
    if (each.kind === 'master_key') {
      const master = masterKeys?.find(each.master_key_id)
      const key = master && decrypt(fromMasterKey(master.key), box, id)
      if (key) return key
    } else if (passphrase !== undefined) {
      const salt = Buffer.from(each.salt, 'base64')
      const key = decrypt(await derive(passphrase, salt, KEY_BYTES, SCRYPT), box, id)
      if (key) return key
    }
  }
  const ids = wrapped.flatMap((each) => (each.kind === 'master_key' ? [each.master_key_id] : []))
  const hasPassphrase = wrapped.some(({ kind }) => kind === 'passphrase')
  const needed = [
    ...ids.map((master) => `the master key with the id ${master}`),
    ...(hasPassphrase ? ['its passphrase in VIGIL_BACKUP_PASSPHRASE'] : []),
  ].join(' or ')
  throw new OperatorError(
    `The backup ${id} cannot be opened. It needs ${needed}; otherwise it was changed, or belongs to another installation.`,
  )
}
