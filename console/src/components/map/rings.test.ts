import { describe, expect, it } from 'vitest'
import { clipped, continuous } from './rings.ts'

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

describe('an outline in a frame', () => {
  const square = [
    [0, 0],
    [10, 0],
    [10, 10],
    [0, 10],
  ]

  it('ends at the frame', () => {
    expect(clipped(square, { west: 4, east: 20, south: -5, north: 6 })).toEqual([
      [4, 6],
      [4, 0],
      [10, 0],
      [10, 6],
    ])
  })

  it('stays as it is inside, and has no points outside', () => {
    expect(clipped(square, { west: -1, east: 11, south: -1, north: 11 })).toEqual(square)
    expect(clipped(square, { west: 20, east: 30, south: 0, north: 10 })).toEqual([])
  })
})
