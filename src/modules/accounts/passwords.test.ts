import { parseOptions } from '@node-rs/argon2'
import { describe, expect, it } from 'vitest'
import {
  AT_ONCE_MAX,
  createPasswords,
  HASH_OF_NOBODY,
  PasswordsBusyError,
  WAITING_MAX,
} from './passwords.ts'

describe('passwords', () => {
  it('match only their own hash, which is argon2id with the parameters of OWASP', async () => {
    const passwords = createPasswords()
    const hash = await passwords.hash('correct horse')
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await passwords.hash('correct horse')).not.toBe(hash)
    expect(await passwords.verify('correct horse', hash)).toBe(true)
    expect(await passwords.verify('Correct horse', hash)).toBe(false)
    expect(await passwords.verify('correct horse', undefined)).toBe(false)
  })

  it('cost the same work when there is no such user', async () => {
    const compared: string[] = []
    const passwords = createPasswords({
      hash: () => Promise.resolve(''),
      verify: (hash) => {
        compared.push(hash)
        return Promise.resolve(true)
      },
    })
    expect(await passwords.verify('x', undefined)).toBe(false)
    expect(compared).toEqual([HASH_OF_NOBODY])
    const own = await createPasswords().hash('x')
    expect(parseOptions(HASH_OF_NOBODY)).toEqual(parseOptions(own))
  })

  it('are hashed a few at a time, the others wait, and too many are turned away', async () => {
    const started: (() => void)[] = []
    const passwords = createPasswords({
      hash: () => new Promise((resolve) => started.push(() => resolve('hash'))),
      verify: () => Promise.resolve(true),
    })
    const accepted = Array.from({ length: AT_ONCE_MAX + WAITING_MAX }, () => passwords.hash('x'))
    await expect(passwords.verify('x', 'hash')).rejects.toThrow(PasswordsBusyError)
    let finished = 0
    while (finished < accepted.length) {
      expect(started.length - finished).toBe(Math.min(AT_ONCE_MAX, accepted.length - finished))
      started[finished]?.()
      await accepted[finished]
      // The next in line starts a few promise turns after the one that made room.
      await new Promise((resolve) => setImmediate(resolve))
      finished += 1
    }
    expect(await passwords.verify('x', 'hash')).toBe(true)
  })

  it('make room again after a failure', async () => {
    const passwords = createPasswords({
      hash: () => Promise.reject(new Error('no memory')),
      verify: () => Promise.resolve(true),
    })
    for (let n = 0; n < AT_ONCE_MAX + 1; n += 1) {
      await expect(passwords.hash('x')).rejects.toThrow('no memory')
    }
    expect(await passwords.verify('x', 'hash')).toBe(true)
  })
})
