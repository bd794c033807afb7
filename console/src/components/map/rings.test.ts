import { describe, expect, it } from 'vitest'
import { continuous } from './rings.ts'

describe('an outline ring', () => {
  it('continues beyond the date line without a jump', () => {
    const ring = [
      [170, 10],
      [179, 12],
      [-178, 11],
      [170, 10],
    ]
    expect(continuous(ring)).toEqual([
      [170, 10],
      [179, 12],
      [182, 11],
      [170, 10],
    ])
  })

  it('around a pole is closed over that pole', () => {
    const ring = [
      [-170, -80],
      [-60, -75],
      [60, -70],
      [170, -80],
      [-170, -80],
    ]
    expect(continuous(ring)).toEqual([
      [-170, -80],
      [-60, -75],
      [60, -70],
      [170, -80],
      [190, -80],
      [190, -90],
      [-170, -90],
    ])
  })
})
