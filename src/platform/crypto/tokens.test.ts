import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checksum, isToken, newToken, randomBase62 } from './tokens.ts'

describe('tokens', () => {
  it('have a prefix, 32 random characters and a checksum of 6, and are recognized', () => {
    const token = newToken('sk_live_')
    expect(token).toMatch(/^sk_live_[0-9A-Za-z]{38}$/)
    expect(isToken(token, 'sk_live_')).toBe(true)
    expect(isToken(token, 'sk_test_')).toBe(false)
  })

  it('differ each time', () => {
    expect(new Set(Array.from({ length: 1000 }, () => newToken('x_'))).size).toBe(1000)
  })

  it('are refused after any change of one character', () => {
    const token = newToken('sk_live_')
    fc.assert(
      fc.property(
        fc.nat({ max: 37 }),
        fc.constantFrom('0', '9', 'A', 'Z', 'a', 'z', '_', '-', ' ', 'é'),
        (at, character) => {
          const index = 'sk_live_'.length + at
          const changed = token.slice(0, index) + character + token.slice(index + 1)
          return isToken(changed, 'sk_live_') === (changed === token)
        },
      ),
    )
  })

  it('are refused when cut, extended or with a line break', () => {
    const token = newToken('sk_live_')
    for (const text of [
      '',
      'sk_live_',
      token.slice(0, -1),
      `${token}0`,
      `${token}\n`,
      ` ${token}`,
    ]) {
      expect(isToken(text, 'sk_live_')).toBe(false)
    }
  })

  it('have the checksum of the CRC32 check value, padded to six characters', () => {
    // CRC-32/ISO-HDLC of "123456789" is 0xCBF43926 = 3421780262; CRC32 of nothing is 0.
    expect(checksum('123456789')).toBe('3jZRME')
    expect(checksum('')).toBe('000000')
  })

  it('contain every character of the alphabet about equally often', () => {
    const counts = new Map<string, number>()
    for (const character of randomBase62(62_000)) {
      counts.set(character, (counts.get(character) ?? 0) + 1)
    }
    expect(counts.size).toBe(62)
    // The mean is 1000 and the standard deviation 31: eight deviations never happen by chance.
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(250)
  })
})
