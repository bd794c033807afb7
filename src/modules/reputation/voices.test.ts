import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinVoices } from './voices.ts'

describe('voices', () => {
  it('join organizations over several owners, under the smallest id', () => {
    const voices = joinVoices([
      ['d', 'c'],
      ['b', 'c'],
      ['x', 'y'],
    ])
    expect(Object.fromEntries(voices)).toEqual({ b: 'b', c: 'b', d: 'b', x: 'x', y: 'x' })
  })

  it('are equal for every pair that a chain of groups connects, and for no other', () => {
    const ids = Array.from({ length: 12 }, (_, index) => String.fromCharCode(97 + index))
    const groups = fc.array(fc.subarray(ids, { minLength: 1, maxLength: 4 }), { maxLength: 12 })
    fc.assert(
      fc.property(groups, (given) => {
        const voices = joinVoices(given)
        for (const from of voices.keys()) {
          const reached = reachedFrom(from, given)
          const same = [...voices].filter(([, voice]) => voice === voices.get(from))
          expect(same.map(([id]) => id).toSorted()).toEqual([...reached].toSorted())
          expect(voices.get(from)).toBe([...reached].toSorted()[0])
        }
      }),
    )
  })

  it('of a long chain are found without delay', () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => String(index).padStart(6, '0'))
    const chain = ids.slice(1).map((id, index) => [ids[index] ?? '', id])
    expect(new Set(joinVoices(chain.toReversed()).values())).toEqual(new Set(['000000']))
  })
})

function reachedFrom(from: string, groups: readonly (readonly string[])[]): Set<string> {
  const reached = new Set([from])
  for (let size = 0; size < reached.size; ) {
    size = reached.size
    for (const group of groups) {
      if (group.some((id) => reached.has(id))) for (const id of group) reached.add(id)
    }
  }
  return reached
}
