import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from './canonical-json.ts'

/** The same value with the members of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, reversed(item)]),
  )
}

describe('canonical JSON', () => {
  it('does not depend on the order of members, at any depth', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}')
    expect(canonicalJson({ a: 1, A: 2 })).toBe(canonicalJson({ A: 2, a: 1 }))
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))
      }),
    )
  })

  it('is JSON of the same value, so that different values differ', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it.each([
    [
      [1, 2],
      [2, 1],
    ],
    ['1', 1],
    [{ a: null }, {}],
    [{ a: '1' }, { a: 1 }],
    [[], {}],
    ['', null],
    [{ a: { b: 1 } }, { 'a.b': 1 }],
  ])('distinguishes %j from %j', (one, other) => {
    expect(canonicalJson(one)).not.toBe(canonicalJson(other))
  })

  it('omits members that are undefined', () => {
    expect(canonicalJson({ a: undefined, b: { c: undefined } })).toBe(canonicalJson({ b: {} }))
    expect(canonicalJson([undefined])).toBe('[null]')
    expect(canonicalJson(undefined)).toBe('null')
  })

  it('sorts by code units and escapes keys as JSON does', () => {
    expect(canonicalJson({ é: 1, z: 2, '"': 3, A: 4 })).toBe('{"\\"":3,"A":4,"z":2,"é":1}')
  })
})
