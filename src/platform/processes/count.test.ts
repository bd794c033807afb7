import { describe, expect, it } from 'vitest'
import { coresOf, processCount, rolesOf } from './count.ts'

const auto = (cores: number, has_database: boolean) => processCount('auto', { cores, has_database })

describe('the number of processes', () => {
  it('leaves a third of the cores to a database on the same machine', () => {
    const cores = [1, 2, 3, 4, 6, 8, 16]
    expect(cores.map((count) => auto(count, true))).toEqual([1, 1, 2, 3, 4, 5, 8])
    expect(cores.map((count) => auto(count, false))).toEqual([1, 2, 3, 4, 6, 8, 8])
  })

  it('is the number that is set', () => {
    expect(processCount(12, { cores: 2, has_database: true })).toBe(12)
  })
})

describe('the roles of several processes', () => {
  it('are requests for most, and the other work for one in four', () => {
    const workers = (count: number) => rolesOf(count).filter((role) => role === 'worker').length
    expect([2, 3, 4, 7, 8, 12].map(workers)).toEqual([1, 1, 1, 1, 2, 3])
    expect(rolesOf(3)).toEqual(['api', 'api', 'worker'])
  })
})

describe('the limit of a container', () => {
  it('is a number of cores, or none', () => {
    expect(coresOf('200000 100000\n')).toBe(2)
    expect(coresOf('150000 100000\n')).toBe(1)
    expect(coresOf('max 100000\n')).toBe(Number.POSITIVE_INFINITY)
    expect(coresOf('')).toBe(Number.POSITIVE_INFINITY)
  })
})
