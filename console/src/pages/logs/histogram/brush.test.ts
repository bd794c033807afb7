import { describe, expect, it } from 'vitest'
import { type Brush, barAt, brushed, NO_BRUSH, selectedBars, timeOfBars } from './brush.ts'

const press = (brush: Brush, keys: string[], count = 10): Brush =>
  keys.reduce((before, key) => {
    const shift = key.startsWith('Shift+')
    return brushed(before, key.replace('Shift+', ''), { shift, count }) ?? before
  }, brush)

describe('selecting by keyboard', () => {
  it('starts at the newest bar, stays within the bars and extends with Shift', () => {
    const first = press(NO_BRUSH, ['ArrowLeft'])
    expect(first).toEqual({ cursor: 9, anchor: undefined })
    const selected = press(first, ['ArrowLeft', 'Shift+ArrowLeft', 'Shift+ArrowLeft'])
    expect(selectedBars(selected)).toEqual([6, 8])
    expect(selectedBars(press(selected, ['Shift+End']))).toEqual([8, 9])
    expect(selectedBars(press(selected, ['ArrowRight']))).toBeUndefined()
    expect(press(selected, ['Home', 'ArrowLeft']).cursor).toBe(0)
    expect(press(selected, ['PageUp', 'PageUp']).cursor).toBe(9)
  })

  it('ends with Escape, which the histogram otherwise ignores', () => {
    const selected = press(NO_BRUSH, ['Home', 'Shift+ArrowRight'])
    expect(selectedBars(press(selected, ['Escape']))).toBeUndefined()
    expect(brushed(NO_BRUSH, 'Escape', { shift: false, count: 3 })).toBeUndefined()
    expect(brushed(NO_BRUSH, 'Tab', { shift: true, count: 3 })).toBeUndefined()
    expect(brushed(NO_BRUSH, 'constructor', { shift: true, count: 3 })).toBeUndefined()
  })
})

describe('the period of bars', () => {
  const histogram = {
    from: '2026-03-01T12:00:30.000Z',
    until: '2026-03-01T12:03:10.000Z',
    step_ms: 60_000,
    starts: [0, 1, 2, 3].map((minute) => `2026-03-01T12:0${minute}:00.000Z`),
  }

  it('stays within that of the histogram', () => {
    expect(timeOfBars(histogram, [1, 2])).toEqual({
      from: '2026-03-01T12:01:00.000Z',
      to: '2026-03-01T12:02:59.999Z',
    })
    expect(timeOfBars(histogram, [0, 3])).toEqual({ from: histogram.from, to: histogram.until })
    expect(timeOfBars(histogram, [4, 4])).toBeUndefined()
  })

  it('follows the position of the pointer', () => {
    expect([-1, 0, 0.24, 0.25, 0.999, 1, 2].map((share) => barAt(share, 4))).toEqual([
      0, 0, 0, 1, 3, 3, 3,
    ])
  })
})
