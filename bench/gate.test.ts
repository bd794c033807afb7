import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Measured, type PathRatio, verdictOf } from './gate.ts'

const before: PathRatio = { least: 0.2, median: 0.25, most: 0.3, limit_per_second: 10_000 }
const measured = (least: number, median: number, most: number, other: Partial<Measured> = {}) => ({
  ratio: { limit: 'INSERT', least, median, most },
  others_percent: 3,
  limit_per_second: 9000,
  ...other,
})

describe('a main path compared with the last release', () => {
  it.each([
    ['kept', measured(0.19, 0.24, 0.31)],
    ['kept', measured(0.5, 0.6, 0.7)],
    // Below the release, but not below its noise.
    ['kept', measured(0.11, 0.12, 0.13)],
    // One round was as fast as the release, so the others say more about the machine.
    ['kept', measured(0.05, 0.1, 0.26)],
    ['slower', measured(0.07, 0.08, 0.09)],
    ['not judged', measured(0.07, 0.08, 0.09, { others_percent: 60 })],
    // Another disk: the ratio would not be of the program.
    ['not judged', measured(0.07, 0.08, 0.09, { limit_per_second: 20_000 })],
    ['not judged', measured(0.07, 0.08, 0.09, { limit_per_second: 5000 })],
  ])('is %s', (verdict, row) => expect(verdictOf(before, row)).toBe(verdict))

  it('has a ratio in the file of the release', () => {
    const { ratios } = JSON.parse(
      readFileSync(new URL('release.json', import.meta.url), 'utf8'),
    ) as { ratios: Record<string, PathRatio> }
    expect(Object.keys(ratios)).toEqual(['check', 'orders', 'logs', 'webhooks'])
    for (const { least, median, most } of Object.values(ratios)) {
      expect(least).toBeGreaterThan(0)
      expect([least, median, most]).toEqual([least, median, most].toSorted((a, b) => a - b))
    }
  })
})
