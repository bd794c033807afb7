import { describe, expect, it } from 'vitest'
import { emailFault, passwordFault } from './credentials.ts'

const ofLength = (chars: number) => `${'a'.repeat(chars - 4)}@b.c`

describe('credentials', () => {
  it('take an address with one @ between two parts without spaces, up to 254 characters', () => {
    for (const good of ['a@b', 'Ünï@example.com', ofLength(254)]) {
      expect(emailFault(good)).toBeUndefined()
    }
    for (const bad of ['', 'a', '@b', 'a@', 'a@b@c', 'a b@c', 'a\u0000@b', ofLength(255)]) {
      expect(emailFault(bad)).toBe('email_invalid')
    }
  })

  it('take a password of 12 to 256 characters of any kind', () => {
    expect(passwordFault('x'.repeat(11))).toBe('password_too_short')
    expect(passwordFault('x'.repeat(12))).toBeUndefined()
    expect(passwordFault('ü '.repeat(128))).toBeUndefined()
    expect(passwordFault('x'.repeat(257))).toBe('password_too_long')
  })
})
