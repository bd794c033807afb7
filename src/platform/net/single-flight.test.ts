import { describe, expect, test } from 'vitest'
import { createSingleFlight } from './single-flight.ts'

const broken = () => {
  throw new Error('immediately')
}

describe('createSingleFlight', () => {
  test('runs the work once for concurrent callers, and returns its value to all of them', async () => {
    const flight = createSingleFlight<number>()
    let runs = 0
    const work = async () => {
      runs += 1
      await Promise.resolve()
      return runs
    }
    expect(await Promise.all([flight('a', work), flight('a', work), flight('a', work)])).toEqual([
      1, 1, 1,
    ])
  })

  test('runs the work separately for different keys', async () => {
    const flight = createSingleFlight<string>()
    const answers = ['a', 'b'].map((key) => flight(key, () => Promise.resolve(key)))
    expect(await Promise.all(answers)).toEqual(['a', 'b'])
  })

  test('runs the work again after it has ended', async () => {
    const flight = createSingleFlight<number>()
    let runs = 0
    const work = () => Promise.resolve((runs += 1))
    expect(await flight('a', work)).toBe(1)
    expect(await flight('a', work)).toBe(2)
  })

  test('does not cache an error', async () => {
    const flight = createSingleFlight<string>()
    await expect(flight('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
    expect(await flight('a', () => Promise.resolve('up'))).toBe('up')
  })

  test('rejects, and recovers, when the work throws before it returns a promise', async () => {
    const flight = createSingleFlight<string>()
    await expect(flight('a', broken)).rejects.toThrow('immediately')
    expect(await flight('a', () => Promise.resolve('up'))).toBe('up')
  })
})
