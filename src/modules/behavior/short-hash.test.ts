import { describe, expect, it } from 'vitest'
import { shortHash } from './short-hash.ts'

describe('shortHash', () => {
  it('is a 24-bit number that differs for nearly all texts', () => {
    const hashes = new Set(Array.from({ length: 50_000 }, (_, i) => shortHash(`device-${i}`)))
    expect(hashes.size).toBeGreaterThan(49_900)
    for (const hash of hashes) expect(hash >= 0 && hash < 2 ** 24).toBe(true)
  })

  it('never changes, because states contain it', () => {
    const texts = ['', 'a', '0190a1b2-fingerprint']
    expect(texts.map(shortHash)).toEqual([2826546, 15287641, 13768344])
  })
})
