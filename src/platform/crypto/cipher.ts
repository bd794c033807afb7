/** AES-256-GCM (NIST SP 800-38D). A box is the nonce, the ciphertext and the tag, concatenated. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** @param bound authenticated context; the box opens only with the same text */
export function encrypt(key: Buffer, plain: Buffer, bound: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(bound))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** @returns undefined when the key, the bound text or a single bit differs */
export function decrypt(key: Buffer, box: Buffer, bound: string): Buffer | undefined {
  if (box.length < NONCE_BYTES + TAG_BYTES) return undefined
  const nonce = box.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(bound))
  decipher.setAuthTag(box.subarray(-TAG_BYTES))
  const plain = decipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([plain, decipher.final()])
  } catch {
    return undefined
  }
}
