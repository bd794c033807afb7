/** Identifies the sender to the push service of a browser (RFC 8292). */
import { createECDH } from 'node:crypto'
import { importJWK, SignJWT } from 'jose'
import { HOUR_MS } from '../time-units.ts'

/** In base64url: the point, as the browser takes it, and the number. */
export type VapidKeys = { public_key: string; private_key: string }

const PRIVATE_KEY_BYTES = 32
/** At most a day. */
const VALID_MS = 12 * HOUR_MS

export function newVapidKeys(): VapidKeys {
  const keys = createECDH('prime256v1')
  const public_key = keys.generateKeys('base64url')
  const number = keys.getPrivateKey()
  // Leading zeros are left out.
  const whole = Buffer.concat([Buffer.alloc(PRIVATE_KEY_BYTES - number.length), number])
  return { public_key, private_key: whole.toString('base64url') }
}

/**
 * @param subject address of the operator, such as the site
 * @returns the value of the header `authorization`
 */
export async function vapidHeader(
  { public_key, private_key }: VapidKeys,
  { endpoint, subject, now }: { endpoint: string; subject: string; now: Date },
): Promise<string> {
  const point = Buffer.from(public_key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) =>
    part.toString('base64url'),
  )
  const key = await importJWK(
    { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '', d: private_key },
    'ES256',
  )
  const token = await new SignJWT()
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT' })
    .setAudience(new URL(endpoint).origin)
    .setExpirationTime(Math.floor((now.getTime() + VALID_MS) / 1000))
    .setSubject(subject)
    .sign(key)
  return `vapid t=${token}, k=${public_key}`
}
