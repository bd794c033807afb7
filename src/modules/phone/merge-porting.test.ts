import { expect, it } from 'vitest'
import { mergePorting } from './merge-porting.ts'

const NOW = new Date('2026-03-10T12:00:00Z')
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000)
const fact = (carrier_code: string | null, ported = false, ported_date: string | null = null) => ({
  ported,
  ported_date,
  carrier_code,
})
const before = (value: ReturnType<typeof fact>, hours: number) => ({
  value,
  fetched_at: hoursAgo(hours),
})

it('returns the first answer unchanged', () => {
  expect(mergePorting(undefined, fact('1'), NOW)).toEqual(fact('1'))
})

it('detects a change of carrier between two look-ups', () => {
  expect(mergePorting(before(fact('1'), 500), fact('2'), NOW)).toEqual(fact('2', true, null))
})

it('dates the change only when the look-ups are at most a day apart', () => {
  const merged = mergePorting(before(fact('1'), 20), fact('2'), NOW)
  expect(merged).toEqual(fact('2', true, NOW.toISOString()))
})

it('retains a change that later answers no longer show', () => {
  const moved = fact('2', true, '2026-01-01T00:00:00Z')
  expect(mergePorting(before(moved, 900), fact('2'), NOW)).toEqual(moved)
})

it('does not count a missing carrier as a change', () => {
  expect(mergePorting(before(fact('1'), 5), fact(null), NOW)).toEqual(fact(null))
  expect(mergePorting(before(fact(null), 5), fact('1'), NOW)).toEqual(fact('1'))
})
