import { describe, expect, it } from 'vitest'
import { afterDeciding } from './next-review.ts'
import { deciderOf, reasonOf } from './review-text.ts'

const row = (id: string, subject_id = id) => ({ id, subject_id })

describe('after a decision, the queue opens', () => {
  const items = [row('a'), row('b', 'order'), row('c', 'order'), row('d')]

  it.each([
    ['the next review', 'a', 'b'],
    [
      'the next review of another subject, because all reviews of an order are decided together',
      'b',
      'd',
    ],
    ['the previous review after the last one', 'd', 'c'],
  ])('%s', (_, decided, next) => {
    const item = items.find(({ id }) => id === decided) ?? row('')
    expect(afterDeciding(items, item)).toBe(next)
  })

  it('nothing, when no other review is listed', () => {
    expect(afterDeciding([row('a')], row('a'))).toBe('')
    expect(afterDeciding([row('b', 'order'), row('c', 'order')], row('c', 'order'))).toBe('')
    expect(afterDeciding([], row('a'))).toBe('')
  })
})

describe('the reason of a review', () => {
  it.each([
    ['order', 'impossible_travel: 8917 km apart', '8917 km apart'],
    ['order', 'score 71', 'score 71'],
    ['order', 'Because: it is', 'Because: it is'],
    ['alert', 'shared_device', 'Pattern across orders: shared device'],
  ] as const)('%s %s', (subject, reason, words) => {
    expect(reasonOf({ subject, reason })).toBe(words)
  })

  it('names the member who decided', () => {
    const people = { 1: 'ann@shop.example' }
    expect(deciderOf('1', people)).toBe('ann@shop.example')
    expect(deciderOf('cli', people)).toBe('command line')
    expect(deciderOf('toString', people)).toBe('a former member')
  })
})
