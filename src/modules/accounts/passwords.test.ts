import { parseOptions } from '@node-rs/argon2'
import { describe, expect, it } from 'vitest'
import {
  CONCURRENT_MAX,
  createPasswords,
  DUMMY_HASH,
  PasswordsBusyError,
  SAME_EMAIL_MAX,
  WAITING_MAX,
} from './passwords.ts'

describe('passwords', () => {
  it('match only their own hash, which is argon2id with the OWASP parameters', async () => {
    const passwords = createPasswords()
    const hash = await passwords.hash('correct horse')
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await passwords.hash('correct horse')).not.toBe(hash)
    expect(await passwords.verify('correct horse', hash)).toBe(true)
    expect(await passwords.verify('Correct horse', hash)).toBe(false)
    expect(await passwords.verify('correct horse', undefined)).toBe(false)
    const other = await passwords.hash('another horse')
    expect(await passwords.find('correct horse', [other, hash])).toBe(1)
    expect(await passwords.find('a third horse', [other, hash])).toBe(-1)
  })

  it('take the same work when the user does not exist', async () => {
    const compared: string[] = []
    const passwords = createPasswords({
      hash: () => Promise.resolve(''),
      verify: (hash) => {
        compared.push(hash)
        return Promise.resolve(true)
      },
    })
    expect(await passwords.verify('x', undefined)).toBe(false)
    expect(compared).toEqual([DUMMY_HASH])
    for (const [hashes, found] of [
      [[], -1],
      [['a'], 0],
      [['a', 'b', 'c'], 0],
    ] as const) {
      compared.splice(0)
      expect(await passwords.find('x', hashes)).toBe(found)
      expect(compared).toHaveLength(SAME_EMAIL_MAX)
    }
    const own = await createPasswords().hash('x')
    expect(parseOptions(DUMMY_HASH)).toEqual(parseOptions(own))
  })

  it('are hashed a few at a time, others wait, and further ones are rejected', async () => {
    const started: (() => void)[] = []
    const passwords = createPasswords({
      hash: () => new Promise((resolve) => started.push(() => resolve('hash'))),
      verify: () => Promise.resolve(true),
    })
    const accepted = Array.from({ length: CONCURRENT_MAX + WAITING_MAX }, () => passwords.hash('x'))
    await expect(passwords.verify('x', 'hash')).rejects.toThrow(PasswordsBusyError)
    let finished = 0
    while (finished < accepted.length) {
      expect(started.length - finished).toBe(Math.min(CONCURRENT_MAX, accepted.length - finished))
      started[finished]?.()
      await accepted[finished]
      // The next call starts a few microtasks after the previous one has ended.
      await new Promise((resolve) => setImmediate(resolve))
      finished += 1
    }
    expect(await passwords.verify('x', 'hash')).toBe(true)
  })

  it('release their place after a failure', async () => {
    const passwords = createPasswords({
      hash: () => Promise.reject(new Error('no memory')),
      verify: () => Promise.resolve(true),
    })
    for (let n = 0; n < CONCURRENT_MAX + 1; n += 1) {
      await expect(passwords.hash('x')).rejects.toThrow('no memory')
    }
    expect(await passwords.verify('x', 'hash')).toBe(true)
  })
})
