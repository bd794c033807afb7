import { describe, expect, it } from 'vitest'
import { createKnownMembers } from './known-members.ts'

const item = { properties: { quantity: {}, detail: { properties: { a: {} } } } }
const known = createKnownMembers({
  properties: { id: {}, tags: { items: {} }, items: { items: item } },
})

describe('members of the contract', () => {
  it('are retained, as the same object when there are no others', () => {
    const value = { id: 1, tags: ['a'], items: [{ quantity: 1 }] }
    expect(known(value)).toBe(value)
  })

  it('are all that is retained, in lists of objects too, and the input is not modified', () => {
    const value = { x: 1, id: 2, items: [{ quantity: 1, y: 2 }, { quantity: 3 }], tags: [{ z: 1 }] }
    const copy = structuredClone(value)
    expect(known(value)).toEqual({
      id: 2,
      items: [{ quantity: 1 }, { quantity: 3 }],
      tags: [{ z: 1 }],
    })
    expect(value).toEqual(copy)
  })

  it('do not include inherited properties', () => {
    const value = JSON.parse('{"id":1,"toString":2,"constructor":3}') as object
    expect(known(value)).toEqual({ id: 1 })
  })
})
