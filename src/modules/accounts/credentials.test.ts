import { describe, expect, it } from 'vitest'
import { emailFault, passwordFault } from './credentials.ts'

const fault = async (password: string, email = 'ann.smith@northwind.example') =>
  await passwordFault(password, email)
const long = 'tree lamp river '.repeat(16)
const ofLength = (chars: number) => `${'a'.repeat(chars - 4)}@b.c`

describe('credentials', () => {
  it('accept an address with one @ between two parts without spaces, up to 254 characters', () => {
    for (const good of ['a@b', 'Ünï@example.com', ofLength(254)]) {
      expect(emailFault(good)).toBeUndefined()
    }
    for (const bad of ['', 'a', '@b', 'a@', 'a@b@c', 'a b@c', 'a\u0000@b', ofLength(255)]) {
      expect(emailFault(bad)).toBe('email_invalid')
    }
  })

  it('accept a password of 12 to 256 characters of any kind', async () => {
    expect(await fault('q9ZkPw3vL1x')).toBe('password_too_short')
    for (const good of ['q9ZkPw3vL1xT', 'correct horse battery', 'fünf große Äpfel', long]) {
      expect(await fault(good), good).toBeUndefined()
    }
    expect(await fault(`${long}x`)).toBe('password_too_long')
  })

  it.each([
    [
      'password_repetitive',
      ['aaaaaaaaaaaa', 'abcabcabcabc', ' '.repeat(12), ' \t\u00a0'.repeat(4)],
    ],
    ['password_repetitive', ['passwordpassword', 'x'.repeat(200)]],
    ['password_sequence', ['abcdefghijkl', 'abcdefghijklmnopqrstuvwxyz']],
    ['password_common', ['password1234', '123456789012', 'P@ssw0rd1234', 'qwertyuiop12']],
    ['password_common', ['Welcome12345', 'Summer2026!!', '1qaz2wsx3edc']],
    ['password_personal', ['Ann.Smith@northwind.example', 'ann.smith2026', 'northwind2026']],
    ['password_personal', ['vigilconsole', 'VigilConsole1', 'Vigil-console!']],
  ])('refuse a password that is easy to guess: %s', async (weakness, passwords) => {
    for (const password of passwords) expect(await fault(password), password).toBe(weakness)
  })

  it('compare with the e-mail of the account only', async () => {
    expect(await fault('kowalska.mar', 'mar.kowalska@shop.example')).toBe('password_personal')
    expect(await fault('kowalska.mar')).toBeUndefined()
  })
})
