/** An authenticator app, which reads the secret of a second factor and shows codes. */
import { codeAt, stepAt } from '../../src/modules/accounts/second-factor/totp.ts'

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function readSecret(text: string): Buffer {
  const bits = Array.from(text, (char) => BASE32.indexOf(char).toString(2).padStart(5, '0'))
  const bytes = bits.join('').match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}

/** The current code, or the one that follows after `steps` periods. */
export const shownCode = (secret: string, steps = 0): string =>
  codeAt(readSecret(secret), stepAt(new Date()) + steps)
