import { describe, expect, it } from 'vitest'
import { isDeeperThan } from './json-depth.ts'

const nested = (levels: number): unknown =>
  JSON.parse(`${'{"a":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}`)

describe('the depth of JSON', () => {
  it('counts objects and lists', () => {
    expect(isDeeperThan('text', 0)).toBe(false)
    expect(isDeeperThan(null, 0)).toBe(false)
    expect(isDeeperThan({}, 0)).toBe(true)
    expect(isDeeperThan([{ a: 1 }], 2)).toBe(false)
    expect(isDeeperThan([{ a: [] }], 2)).toBe(true)
    expect(isDeeperThan(nested(32), 32)).toBe(false)
    expect(isDeeperThan(nested(34), 32)).toBe(true)
  })

  it('is found for values that are too deep for recursion', () => {
    expect(isDeeperThan(nested(1_000_000), 32)).toBe(true)
  })
})
