/** Encrypts a message for one browser: one record of aes128gcm (RFC 8188) under its keys (RFC 8291). */
import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'

/** Keys of the browser: an uncompressed point of P-256, and 16 random bytes. */
export type BrowserKeys = { p256dh: Buffer; auth: Buffer }

/** For the example of the RFC; otherwise new for each message. */
type Fresh = { salt: Buffer; private_key: Buffer }

/** Push services have to accept bodies of this size. */
const BODY_MAX_BYTES = 4096
const TAG_BYTES = 16
const HEADER_BYTES = 16 + 4 + 1 + 65
export const MESSAGE_MAX_BYTES = BODY_MAX_BYTES - HEADER_BYTES - TAG_BYTES - 1
const LAST_RECORD = Buffer.of(2)

/** @throws RangeError when the message is too long, or an error when `p256dh` is not a point of the curve */
export function encryptForBrowser(
  plain: Buffer,
  { p256dh, auth }: BrowserKeys,
  fresh?: Fresh,
): Buffer {
  if (plain.length > MESSAGE_MAX_BYTES) throw new RangeError('The message is too long')
  const salt = fresh?.salt ?? randomBytes(16)
  const own = createECDH('prime256v1')
  if (fresh) own.setPrivateKey(fresh.private_key)
  else own.generateKeys()
  const sender = own.getPublicKey()
  const shared = own.computeSecret(p256dh)
  const secret = derive(shared, auth, [Buffer.from('WebPush: info\0'), p256dh, sender], 32)
  const key = derive(secret, salt, [Buffer.from('Content-Encoding: aes128gcm\0')], 16)
  const nonce = derive(secret, salt, [Buffer.from('Content-Encoding: nonce\0')], 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const record = Buffer.concat([cipher.update(plain), cipher.update(LAST_RECORD), cipher.final()])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(BODY_MAX_BYTES)
  const header = [salt, size, Buffer.of(sender.length), sender]
  return Buffer.concat([...header, record, cipher.getAuthTag()])
}

/** Whether the browser's keys can be used. */
export function areBrowserKeys({ p256dh, auth }: BrowserKeys): boolean {
  if (p256dh.length !== 65 || auth.length !== 16) return false
  try {
    const own = createECDH('prime256v1')
    own.generateKeys()
    own.computeSecret(p256dh)
    return true
  } catch {
    return false
  }
}

const derive = (key: Buffer, salt: Buffer, info: readonly Buffer[], bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, Buffer.concat(info), bytes))
