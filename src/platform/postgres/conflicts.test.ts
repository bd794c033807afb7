import { expect, it } from 'vitest'
import { retryConflicts } from './conflicts.ts'

const failing = (code: string, times: number) => {
  let calls = 0
  const work = () => {
    calls += 1
    return calls <= times
      ? Promise.reject(Object.assign(new Error(`conflict ${calls}`), { code }))
      : Promise.resolve(calls)
  }
  return { work, calls: () => calls }
}

it('repeats a transaction that the server ended because of a conflict', async () => {
  expect(await retryConflicts(failing('40P01', 2).work)).toBe(3)
  expect(await retryConflicts(failing('40001', 4).work)).toBe(5)
})

it('gives up after the fifth attempt with its error', async () => {
  const { work, calls } = failing('40P01', 9)
  await expect(retryConflicts(work)).rejects.toThrow('conflict 5')
  expect(calls()).toBe(5)
})

it('does not repeat a transaction that failed for another reason', async () => {
  const { work, calls } = failing('23505', 1)
  await expect(retryConflicts(work)).rejects.toThrow('conflict 1')
  expect(calls()).toBe(1)
})
