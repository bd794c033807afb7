import { describe, expect, it } from 'vitest'
import { createFifo } from './fifo.ts'

describe('a fifo', () => {
  it('returns each item once, in order, without removed ones', () => {
    const fifo = createFifo<number>()
    const expected: number[] = []
    const taken: number[] = []
    for (let i = 0; i < 10_000; i += 1) {
      fifo.push(i)
      if (i % 3 === 0) fifo.remove(i)
      else expected.push(i)
      if (i % 2 === 0) taken.push(fifo.shift() ?? -1)
    }
    expect(fifo.size()).toBe(expected.length - taken.filter((item) => item >= 0).length)
    for (let item = fifo.shift(); item !== undefined; item = fifo.shift()) taken.push(item)
    expect(taken.filter((item) => item >= 0)).toEqual(expected)
    expect(fifo.size()).toBe(0)
  })

  it('puts returned items before all others', () => {
    const fifo = createFifo<string>()
    fifo.push('c')
    fifo.unshift('b')
    fifo.unshift('a')
    expect([fifo.shift(), fifo.shift(), fifo.shift(), fifo.shift()]).toEqual([
      'a',
      'b',
      'c',
      undefined,
    ])
  })

  it('returns an item once that was removed and put back', () => {
    const fifo = createFifo<string>()
    fifo.push('a')
    fifo.remove('a')
    fifo.unshift('a')
    expect(fifo.shift()).toBe('a')
    expect(fifo.shift()).toBeUndefined()
  })
})
