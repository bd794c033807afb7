import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isUuid } from '../ids.ts'
import { createKeyedHash } from './keyed-hash.ts'

const KEY = Buffer.alloc(32, 7)

describe('keyed hash', () => {
  const hash = createKeyedHash(KEY)

  it('depends on the key and on every part', () => {
    expect(hash('email', 'ann')).toBe(createKeyedHash(KEY)('email', 'ann'))
    const others = [
      hash('email', 'bob'),
      hash('phone', 'ann'),
      hash('emailann'),
      hash('email', 'ann', ''),
      createKeyedHash(Buffer.alloc(32, 8))('email', 'ann'),
    ]
    expect(new Set([hash('email', 'ann'), ...others]).size).toBe(6)
  })

  it('is not an unkeyed hash of the value, which could be guessed', () => {
    const text = hash('email', 'ann').replaceAll('-', '')
    for (const algorithm of ['sha256', 'sha512-256']) {
      expect(createHash(algorithm).update('email\0ann').digest('hex')).not.toContain(text)
    }
  })

  it('has the format in which PostgreSQL prints UUIDs', () => {
    expect(isUuid(hash('a'))).toBe(true)
    expect(hash('a')).toBe(hash('a').toLowerCase())
  })
})
