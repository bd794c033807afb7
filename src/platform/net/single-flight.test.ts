import { describe, expect, test } from 'vitest'
import { createSingleFlight } from './single-flight.ts'

const broken = () => {
  throw new Error('at once')
}

describe('createSingleFlight', () => {
  test('runs the work once for callers that meet, and hands all of them its value', async () => {
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

  test('keeps different keys apart', async () => {
    const flight = createSingleFlight<string>()
    const answers = ['a', 'b'].map((key) => flight(key, () => Promise.resolve(key)))
    expect(await Promise.all(answers)).toEqual(['a', 'b'])
  })

  test('works anew after the flight has landed', async () => {
    const flight = createSingleFlight<number>()
    let runs = 0
    const work = () => Promise.resolve((runs += 1))
    expect(await flight('a', work)).toBe(1)
    expect(await flight('a', work)).toBe(2)
  })

  test('does not let an error stick', async () => {
    const flight = createSingleFlight<string>()
    await expect(flight('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
    expect(await flight('a', () => Promise.resolve('up'))).toBe('up')
  })

  test('rejects, and recovers, when the work throws before it returns a promise', async () => {
    const flight = createSingleFlight<string>()
    await expect(flight('a', broken)).rejects.toThrow('at once')
    expect(await flight('a', () => Promise.resolve('up'))).toBe('up')
  })
})
