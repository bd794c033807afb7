import { describe, expect, it } from 'vitest'
import { amountText, bytesText, countText, durationText } from './format.ts'

/** Without what the language of the machine decides: separators and the place of the sign. */
const digitsOf = (text: string): string => text.replaceAll(/\D/g, '')

describe('an amount', () => {
  it('is in the smallest unit of its currency, whichever that is', () => {
    expect(digitsOf(amountText(4990, 'EUR'))).toBe('4990')
    expect(digitsOf(amountText(1000, 'JPY'))).toBe('1000')
    expect(amountText(1000, 'JPY')).not.toMatch(/[.,]00?$/)
    expect(amountText(1000, 'KWD')).toMatch(/1[.,]000/)
  })

  it('of something that is no currency is a number with that behind it', () => {
    expect(amountText(4990, 'points')).toMatch(/^49[.,]90 points$/)
    expect(amountText(4990, null)).toMatch(/^49[.,]90$/)
    expect(amountText(1, '<b>')).toMatch(/<b>$/)
  })
})

describe('counts', () => {
  it('have a singular for one only', () => {
    const plurals = ['orders', 'deliveries', 'addresses', 'batches']
    expect(plurals.map((plural) => countText(1, plural))).toEqual([
      '1 order',
      '1 delivery',
      '1 address',
      '1 batch',
    ])
    expect([0, 2, 1.5].map((count) => countText(count, 'orders'))).toEqual([
      '0 orders',
      '2 orders',
      '1.5 orders',
    ])
  })
})

describe('sizes and durations', () => {
  it('go up in their units', () => {
    expect([0, 999, 1500, 2_500_000].map(bytesText)).toEqual(['0 B', '999 B', '1.5 KB', '2.5 MB'])
    expect([0, 999, 4200, 720_000, 10_800_000, 500_000_000].map(durationText)).toEqual([
      '0 ms',
      '999 ms',
      '4.2 s',
      '12 min',
      '3 h',
      '6 d',
    ])
  })
})
