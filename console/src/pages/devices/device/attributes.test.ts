import { describe, expect, it } from 'vitest'
import { attributesOf, faultsOf, recordOf, withNew } from './attributes.ts'

describe('custom attributes', () => {
  it('survive a round trip through rows', () => {
    const record = { store: 'Bern', lane: 4, tags: ['a'], none: null, text: '4', '': 'x' }
    expect(recordOf(attributesOf(record))).toEqual(record)
  })

  it('keep a property named __proto__', () => {
    const record = JSON.parse('{"__proto__": {"a": 1}}') as Record<string, unknown>
    expect(JSON.stringify(recordOf(attributesOf(record)))).toBe('{"__proto__":{"a":1}}')
  })

  it('need unique names, and valid JSON in JSON rows', () => {
    const rows = attributesOf({ a: 'x', b: 1 }).concat(
      { key: 2, name: 'a', kind: 'text', value: '' },
      { key: 3, name: '', kind: 'text', value: 'x' },
      { key: 4, name: 'c', kind: 'json', value: '[1,' },
    )
    expect([...faultsOf(rows).keys()]).toEqual([2, 3, 4])
  })

  it('get rows with unused keys', () => {
    const [first] = withNew([])
    const rows = withNew(withNew(first ? [first] : []).slice(1))
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
  })
})
