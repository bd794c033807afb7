import { describe, expect, it } from 'vitest'
import { membersOf } from './members.ts'

describe('the members of data', () => {
  it('are counted by their path with their type, the most frequent first', () => {
    const texts = [
      '{"ms":12,"order":{"id":7,"note":"new"}}',
      '{"ms":"slow","order":{"id":8}}',
      '{"ms":3,"order":[1],"is_new":true,"gone":null}',
      '["no object"]',
      'no JSON',
    ]
    expect(membersOf(texts)).toEqual([
      { name: 'data.ms', type: 'other', count: 3 },
      { name: 'data.order.id', type: 'number', count: 2 },
      { name: 'data.0', type: 'text', count: 1 },
      { name: 'data.is_new', type: 'boolean', count: 1 },
      { name: 'data.order', type: 'other', count: 1 },
      { name: 'data.order.note', type: 'text', count: 1 },
    ])
  })

  it('leave out names that a query cannot have, and what is beyond the limits', () => {
    const deep = '{"a":{"b":{"c":{"d":{"e":1}}}}}'
    const names = membersOf(['{"a b":1,"c:d":1,"":1,"e\\"f":1,"g":1}', deep]).map(
      ({ name }) => name,
    )
    expect(names).toEqual(['data.a.b.c.d', 'data.g'])
    const many = Object.fromEntries(Array.from({ length: 999 }, (_, index) => [`m${index}`, 1]))
    expect(membersOf([JSON.stringify(many)])).toHaveLength(200)
  })
})
