import { describe, expect, it } from 'vitest'
import { base32, codeAt, stepAt, stepOf, totpUri } from './totp.ts'

const SECRET = Buffer.from('12345678901234567890')
const at = (seconds: number) => new Date(seconds * 1000)

describe('codes of authenticator apps', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [20_000_000_000, '353130'],
  ])('equal those of RFC 6238 at %s seconds', (seconds, code) => {
    expect(codeAt(SECRET, stepAt(at(seconds)))).toBe(code)
  })

  it('are accepted one period early or late, and once', () => {
    const step = stepAt(at(3000))
    const accepted = (code: string, after = 0) => stepOf(SECRET, code, at(3000), after)
    const around = [-2, -1, 0, 1, 2].map((off) => accepted(codeAt(SECRET, step + off)))
    expect(around).toEqual([undefined, step - 1, step, step + 1, undefined])
    expect(accepted(codeAt(SECRET, step), step)).toBeUndefined()
    expect(accepted('')).toBeUndefined()
  })

  it('come from a secret that apps read in base32', () => {
    expect(base32(Buffer.from('foobar'))).toBe('MZXW6YTBOI')
    expect(totpUri(Buffer.from('foobar'), 'a b@shop.example')).toBe(
      'otpauth://totp/Vigil%3Aa%20b%40shop.example?secret=MZXW6YTBOI&issuer=Vigil',
    )
  })
})
