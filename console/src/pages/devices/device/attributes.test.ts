import { describe, expect, it } from 'vitest'
import { attributesOf, faultsOf, recordOf, withAnother } from './attributes.ts'

describe('custom attributes', () => {
  it('are the same after they were made rows and back', () => {
    const record = { store: 'Bern', lane: 4, tags: ['a'], none: null, text: '4', '': 'x' }
    expect(recordOf(attributesOf(record))).toEqual(record)
  })

  it('keep a member that is called __proto__', () => {
    const record = JSON.parse('{"__proto__": {"a": 1}}') as Record<string, unknown>
    expect(JSON.stringify(recordOf(attributesOf(record)))).toBe('{"__proto__":{"a":1}}')
  })

  it('need names, each once, and JSON where they are called so', () => {
    const rows = attributesOf({ a: 'x', b: 1 }).concat(
      { key: 2, name: 'a', kind: 'text', value: '' },
      { key: 3, name: '', kind: 'text', value: 'x' },
      { key: 4, name: 'c', kind: 'json', value: '[1,' },
    )
    expect([...faultsOf(rows).keys()]).toEqual([2, 3, 4])
  })

  it('get rows whose keys are not taken', () => {
    const [first] = withAnother([])
    const rows = withAnother(withAnother(first ? [first] : []).slice(1))
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
  })
})
