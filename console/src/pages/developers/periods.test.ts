import { expect, it } from 'vitest'
import { monthsUntil, OTHER, periodOf } from './periods.ts'

const NOW = new Date(2026, 1, 15, 12)
const NONE = { month: '', from: '', to: '' }

it('begins with this month, which has an empty value', () => {
  const months = monthsUntil(NOW)
  expect(months.slice(0, 3)).toEqual([
    { value: '', label: 'February 2026' },
    { value: '2026-01', label: 'January 2026' },
    { value: '2025-12', label: 'December 2025' },
  ])
  expect(months.at(-1)?.value).toBe(OTHER)
})

it('is a whole month, or the chosen days', () => {
  expect(periodOf(NONE, NOW)).toEqual({ from: '2026-02-01', to: '2026-02-28' })
  expect(periodOf({ ...NONE, month: '2025-12' }, NOW)).toEqual({
    from: '2025-12-01',
    to: '2025-12-31',
  })
  const days = { from: '2026-01-10', to: '2026-01-20' }
  expect(periodOf({ month: OTHER, ...days }, NOW)).toEqual(days)
})

it.each([
  { ...NONE, month: 'x' },
  { ...NONE, month: OTHER },
  { month: OTHER, from: '2026-02-02', to: '2026-02-01' },
])('is this month for %o', (filters) => {
  expect(periodOf(filters, NOW)).toEqual({ from: '2026-02-01', to: '2026-02-28' })
})
