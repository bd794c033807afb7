import { expect, it } from 'vitest'
import { rate, VITALS } from './vitals.ts'

it.each([
  ['LCP', 2500, 'good'],
  ['LCP', 2500.1, 'needs_improvement'],
  ['LCP', 4000, 'needs_improvement'],
  ['LCP', 4000.1, 'poor'],
  ['CLS', 0.1, 'good'],
  ['CLS', 0.25, 'needs_improvement'],
  ['CLS', 0.26, 'poor'],
  ['INP', 200, 'good'],
  ['INP', 501, 'poor'],
  ['FCP', 1801, 'needs_improvement'],
  ['TTFB', 1801, 'poor'],
] as const)('%s of %d is %s', (name, value, rating) => {
  expect(rate(name, value)).toBe(rating)
})

it('a value of 0 is good for every vital', () => {
  expect(VITALS.map((name) => rate(name, 0))).toEqual(VITALS.map(() => 'good'))
})
