import { expect, it } from 'vitest'
import { assessSharing, fingerprintOf } from './device.ts'

it('reads only the fingerprint of a device', () => {
  expect(fingerprintOf({ fingerprint_hash: 'abc', os: 'x' })).toBe('abc')
  for (const device of [undefined, {}, { fingerprint_hash: 5 }, { fingerprint_hash: '' }]) {
    expect(fingerprintOf(device as Record<string, unknown>)).toBeUndefined()
  }
})

it.each([
  [0, 0],
  [1, 0],
  [2, 10],
  [3, 35],
  [4, 35],
  [5, 60],
  [7, 70],
  [10, 85],
  [32, 85],
])('a device used by %d people scores %d', (people, score) => {
  expect(assessSharing(people)?.score ?? 0).toBe(score)
})
