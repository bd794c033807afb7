import { describe, expect, it } from 'vitest'
import { groupOf, membersOf, mergeOf } from './merges.ts'

const merges = new Map([
  ['b', 'a'],
  ['c', 'a'],
  ['e', 'd'],
])

describe('merged groups', () => {
  it('consist of their fingerprints', () => {
    expect(['a', 'b', 'c', 'd', 'x'].map((each) => groupOf(merges, each))).toEqual([
      'a',
      'a',
      'a',
      'd',
      'x',
    ])
    expect(membersOf(merges, ['a', 'x'])).toEqual(['a', 'x', 'b', 'c'])
    expect(membersOf(merges, ['b'])).toEqual(['b'])
  })

  it.each([
    [
      { fingerprint: 'x', into: 'a' },
      { fingerprints: ['x'], into_fingerprint: 'a' },
    ],
    [
      { fingerprint: 'x', into: 'b' },
      { fingerprints: ['x'], into_fingerprint: 'a' },
    ],
    [
      { fingerprint: 'd', into: 'a' },
      { fingerprints: ['d', 'e'], into_fingerprint: 'a' },
    ],
    [
      { fingerprint: 'e', into: 'b' },
      { fingerprints: ['d', 'e'], into_fingerprint: 'a' },
    ],
    [{ fingerprint: 'a', into: 'b' }, undefined],
    [{ fingerprint: 'b', into: 'c' }, undefined],
  ])('are never merged further: %j', (request, rows) => {
    expect(mergeOf(merges, request)).toEqual(rows)
  })
})
