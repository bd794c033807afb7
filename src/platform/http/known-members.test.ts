import { describe, expect, it } from 'vitest'
import { createKnownMembers } from './known-members.ts'

const item = { properties: { quantity: {}, detail: { properties: { a: {} } } } }
const known = createKnownMembers({
  properties: { id: {}, tags: { items: {} }, items: { items: item } },
})

describe('what the contract lists', () => {
  it('is kept, as the same object when there is nothing else', () => {
    const value = { id: 1, tags: ['a'], items: [{ quantity: 1 }] }
    expect(known(value)).toBe(value)
  })

  it('is all that is kept, in lists of objects too, and what was given stays as it is', () => {
    const value = { x: 1, id: 2, items: [{ quantity: 1, y: 2 }, { quantity: 3 }], tags: [{ z: 1 }] }
    const copy = structuredClone(value)
    expect(known(value)).toEqual({
      id: 2,
      items: [{ quantity: 1 }, { quantity: 3 }],
      tags: [{ z: 1 }],
    })
    expect(value).toEqual(copy)
  })

  it('is not what an object inherits', () => {
    const value = JSON.parse('{"id":1,"toString":2,"constructor":3}') as object
    expect(known(value)).toEqual({ id: 1 })
  })
})
