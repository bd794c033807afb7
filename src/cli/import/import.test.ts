import { describe, expect, it } from 'vitest'
import { createZoneOffsets } from '../../platform/zone-offsets.ts'
import { mappingOf } from './mapping.ts'
import { progressText } from './progress.ts'
import { createSortedRecords } from './sorted.ts'

describe('the progress', () => {
  it('has the rate and the time left', () => {
    expect(progressText('orders', { done: 120_000, total: 1_000_000, elapsed_ms: 30_000 })).toBe(
      '120,000 of 1,000,000 orders, 4,000 per second, 3 min 40 s left',
    )
    expect(progressText('orders', { done: 90, total: 100, elapsed_ms: 9000 })).toBe(
      '90 of 100 orders, 10 per second, 1 s left',
    )
  })
})

describe('amounts with decimals', () => {
  const amountOf = (cell: string) =>
    mappingOf({ members: { amount: { column: 'a', decimals: 2 } } }).apply({ a: cell })['amount']

  it.each([
    ['49.90', '4990'],
    ['49,9', '4990'],
    ['49', '4900'],
    ['0.05', '5'],
    ['-7.5', '-750'],
    ['+7.500', '750'],
    ['0', '0'],
  ])('%s is %s cents', (cell, cents) => {
    expect(amountOf(cell)).toBe(cents)
  })

  it.each(['1.234,56', 'EUR 5', '1e3', '0.005', '--1'])('%s stays as it is', (cell) => {
    expect(amountOf(cell)).toBe(cell)
  })
})

describe('the offset of a local time', () => {
  it('follows the clock changes of the zone', () => {
    const berlin = createZoneOffsets('Europe/Berlin')
    expect(berlin('2026-01-15T12:00')).toBe('+01:00')
    expect(berlin('2026-07-15T12:00')).toBe('+02:00')
    // Clocks went back at three; the first of both times is taken.
    expect(berlin('2025-10-26T02:30')).toBe('+02:00')
    expect(berlin('2025-10-26T03:30')).toBe('+01:00')
    expect(createZoneOffsets('UTC')('2026-01-15T12:00')).toBe('+00:00')
    expect(createZoneOffsets('Asia/Kolkata')('2026-01-15T12:00')).toBe('+05:30')
  })
})

describe('sorted records', () => {
  it('are read by time, and at the same time in the order of the file', () => {
    const records = createSortedRecords()
    const add = (line: number, at: number) => records.add(line, { text: `ö${line}` }, at)
    for (const [line, at] of [30, 10, 20, 10, 30].entries()) add(line, at)
    expect([...records.read()]).toEqual([
      { line: 1, record: { text: 'ö1' } },
      { line: 3, record: { text: 'ö3' } },
      { line: 2, record: { text: 'ö2' } },
      { line: 0, record: { text: 'ö0' } },
      { line: 4, record: { text: 'ö4' } },
    ])
    records.close()
  })
})
