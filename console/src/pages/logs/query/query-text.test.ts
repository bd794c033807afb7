import { describe, expect, it } from 'vitest'
import { parseQuery } from '../../../../../src/modules/edge/logs/query/parse.ts'
import { conditionOn, negated, stateOf, toggled } from './query-text.ts'

describe('a condition on a value', () => {
  it.each([
    ['device_id', 'till-7', 'device_id:till-7'],
    ['category', 'card payment', 'category:"card payment"'],
    ['category', '', '-has:category'],
    ['tags', 'a*b', 'tags:"a*b"'],
    ['tags', '>5', 'tags:">5"'],
    ['tags', '(x', 'tags:"(x"'],
    ['data.order.id', '17', 'data.order.id:17'],
    ['tags', 'say "hi" (now)', 'tags:say*hi*now*'],
  ])('%s %j is %s', (field, value, text) => {
    expect(conditionOn(field, value)).toBe(text)
    const query = parseQuery(text)
    expect('node' in query && query.notes).toEqual([])
  })
})

describe('toggling a condition', () => {
  const condition = 'device_id:till-7'
  it.each([
    ['', condition],
    ['card', `card ${condition}`],
    [`card ${condition} reader`, 'card reader'],
    [`-${condition} card`, `${condition} card`],
    ['a OR b', `(a OR b) ${condition}`],
    ['(a OR b) c', `(a OR b) c ${condition}`],
    ['"card OR reader', `"card OR reader" ${condition}`],
    ['(a b', `(a b) ${condition}`],
    [`${condition}1`, `${condition}1 ${condition}`],
    [`(${condition} OR b)`, `(${condition} OR b) ${condition}`],
    [`"x ${condition} y"`, `"x ${condition} y" ${condition}`],
  ])('turns %j into %j', (q, expected) => {
    expect(toggled(q, condition)).toBe(expected)
    expect(stateOf(expected, condition)).toBe(
      q.includes(` ${condition} r`) ? undefined : 'included',
    )
  })

  it('excludes, and includes again', () => {
    const excluded = toggled(`card ${condition}`, negated(condition))
    expect(excluded).toBe(`card -${condition}`)
    expect(stateOf(excluded, condition)).toBe('excluded')
    expect(toggled(excluded, negated(condition))).toBe('card')
    expect(negated('-has:category')).toBe('has:category')
  })
})
