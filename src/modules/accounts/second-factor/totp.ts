/** Codes of authenticator apps (RFC 6238): six digits, SHA-1, a new one every 30 seconds. */
import { createHmac } from 'node:crypto'

const STEP_SECONDS = 30
const DIGITS = 6
/** The clock of a phone may differ by one period in either direction. */
const STEPS_OFF = 1
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const BITS = 5

export const stepAt = (now: Date): number => Math.floor(now.getTime() / 1000 / STEP_SECONDS)

/** @param step number of the period since 1970 */
export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0xf
  const number = (mac.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 10 ** DIGITS
  return String(number).padStart(DIGITS, '0')
}

/**
 * @param after the last period with an accepted code
 * @returns the period that the code belongs to; undefined for a wrong code and one that was used
 */
export function stepOf(secret: Buffer, code: string, now: Date, after: number): number | undefined {
  const current = stepAt(now)
  for (let step = current - STEPS_OFF; step <= current + STEPS_OFF; step += 1) {
    if (step > after && codeAt(secret, step) === code) return step
  }
  return undefined
}

/** The alphabet of RFC 4648 without padding, which authenticator apps read. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(new RegExp(`.{1,${BITS}}`, 'g')) ?? []
  return groups.map((group) => BASE32[Number.parseInt(group.padEnd(BITS, '0'), 2)]).join('')
}

/** The address that the QR code of an authenticator app contains. */
export const totpUri = (secret: Buffer, email: string): string =>
  `otpauth://totp/${encodeURIComponent(`Vigil:${email}`)}?secret=${base32(secret)}&issuer=Vigil`
