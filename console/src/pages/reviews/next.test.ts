import { describe, expect, it } from 'vitest'
import { afterDeciding } from './next.ts'
import { deciderOf, reasonOf } from './words.ts'

const row = (id: string, subject_id = id) => ({ id, subject_id })

describe('after a decision comes', () => {
  const items = [row('a'), row('b', 'order'), row('c', 'order'), row('d')]

  it.each([
    ['the next one', 'a', 'b'],
    ['the next one about something else: all about one order are decided together', 'b', 'd'],
    ['the one before, when it was the last', 'd', 'c'],
  ])('%s', (_, decided, next) => {
    const item = items.find(({ id }) => id === decided) ?? row('')
    expect(afterDeciding(items, item)).toBe(next)
  })

  it('nothing, when it was the only one, or is not in the list', () => {
    expect(afterDeciding([row('a')], row('a'))).toBe('')
    expect(afterDeciding([row('b', 'order'), row('c', 'order')], row('c', 'order'))).toBe('')
    expect(afterDeciding([], row('a'))).toBe('')
  })
})

describe('why a review is there', () => {
  it.each([
    ['order', 'impossible_travel: 8917 km apart', '8917 km apart'],
    ['order', 'score 71', 'score 71'],
    ['order', 'Because: it is', 'Because: it is'],
    ['alert', 'shared_device', 'Pattern over several orders: shared device'],
  ] as const)('%s %s', (subject, reason, words) => {
    expect(reasonOf({ subject, reason })).toBe(words)
  })

  it('and who decided it, as far as that is a member', () => {
    const people = { 1: 'ann@shop.example' }
    expect(deciderOf('1', people)).toBe('ann@shop.example')
    expect(deciderOf('cli', people)).toBe('the operator, at the command line')
    expect(deciderOf('toString', people)).toBe('a former member')
  })
})
