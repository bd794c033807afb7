import { describe, expect, it } from 'vitest'
import { placesOf } from './offsets.ts'

describe('the places on the time axis of a trace', () => {
  it('reach from the first to the last entry', () => {
    const times = ['12:00:00.000', '12:00:00.250', '12:00:01.000'].map(
      (time) => `2026-03-01T${time}Z`,
    )
    expect(placesOf(times)).toEqual([
      { offset_ms: 0, share: 0 },
      { offset_ms: 250, share: 0.25 },
      { offset_ms: 1000, share: 1 },
    ])
    expect(placesOf(times.slice(0, 1))).toEqual([{ offset_ms: 0, share: 0 }])
    expect(placesOf([])).toEqual([])
  })
})
