import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cellCenter, cellOf, distanceKm, eastward } from './geometry.ts'

const latitude = fc.double({ min: -90, max: 90, noNaN: true })
const longitude = fc.double({ min: -180, max: 180, noNaN: true })

describe('distanceKm', () => {
  it.each([
    ['Berlin to London', 52.52, 13.405, 51.5074, -0.1278, 932],
    ['London to Tokyo', 51.5074, -0.1278, 35.6762, 139.6503, 9559],
    ['Suva to Apia, across the date line', -18.1416, 178.4419, -13.8333, -171.7667, 1151],
    ['pole to pole', 90, 0, -90, 0, 20015],
    ['the same meridian twice', 10, 180, 10, -180, 0],
  ])('is right from %s', (_, a, b, c, d, km) => {
    expect(Math.round(distanceKm(a, b, c, d))).toBe(km)
    expect(Math.round(distanceKm(c, d, a, b))).toBe(km)
  })

  it('is 0 between points within 50 m', () => {
    expect(distanceKm(52.52, 13.405, 52.5203, 13.4047)).toBe(0)
  })

  it('agrees between both formulas to a few parts in ten thousand', () => {
    const near = fc.double({ min: -0.999, max: 0.999, noNaN: true })
    const inhabited = fc.double({ min: -69, max: 69, noNaN: true })
    fc.assert(
      fc.property(inhabited, near, near, (a, north, east) => {
        const exact = haversine(a, a + north, east)
        expect(Math.abs(distanceKm(a, 0, a + north, east) - exact)).toBeLessThan(
          0.06 + exact * 5e-4,
        )
      }),
    )
  })

  it('lies between 0 and half the circumference for any two points', () => {
    fc.assert(
      fc.property(latitude, longitude, latitude, longitude, (a, b, c, d) => {
        const km = distanceKm(a, b, c, d)
        expect(km).toBeGreaterThanOrEqual(0)
        expect(km).toBeLessThanOrEqual(20016)
      }),
    )
  })
})

it('takes the shorter way around the globe', () => {
  expect(eastward(170, -170)).toBe(20)
  expect(eastward(-170, 170)).toBe(-20)
  expect(eastward(10, 30)).toBe(20)
})

describe('cellOf', () => {
  it('puts points of a neighborhood into one cell and of two towns into two', () => {
    expect(cellOf(52.51, 13.39)).toBe(cellOf(52.53, 13.41))
    expect(cellOf(52.52, 13.405)).not.toBe(cellOf(52.39, 13.06))
  })

  it('gives cells about the same width in the north as at the equator', () => {
    const widthKm = (at: number): number => {
      let end = 0
      while (cellOf(at, end) === cellOf(at, 0)) end += 0.001
      let begin = end
      while (cellOf(at, begin) === cellOf(at, end)) begin += 0.001
      return distanceKm(at, end, at, begin)
    }
    for (const at of [0.1, 40.1, 60.1, 75.1]) {
      expect(widthKm(at)).toBeGreaterThan(24)
      expect(widthKm(at)).toBeLessThan(31)
    }
  })

  it('never gives distant points the same cell', () => {
    fc.assert(
      fc.property(latitude, longitude, latitude, longitude, (a, b, c, d) => {
        if (distanceKm(a, b, c, d) > 60) expect(cellOf(a, b)).not.toBe(cellOf(c, d))
      }),
    )
  })

  it('has a cell for every point, including poles and date line', () => {
    fc.assert(
      fc.property(latitude, longitude, (a, b) => {
        expect(Number.isSafeInteger(cellOf(a, b))).toBe(true)
        expect(cellOf(a, b)).toBeGreaterThanOrEqual(0)
      }),
    )
    for (const at of [-90, 90]) expect(Number.isSafeInteger(cellOf(at, 180))).toBe(true)
  })
})

function haversine(from: number, to: number, east: number): number {
  const radians = Math.PI / 180
  const n = Math.sin(((to - from) * radians) / 2)
  const e = Math.sin((east * radians) / 2)
  const cosines = Math.cos(from * radians) * Math.cos(to * radians)
  return 2 * 6371 * Math.asin(Math.sqrt(n * n + cosines * e * e))
}

describe('cellCenter', () => {
  it('lies inside of every cell', () => {
    fc.assert(
      fc.property(latitude, longitude, (north, east) => {
        const cell = cellOf(north, east)
        const center = cellCenter(cell)
        expect(cellOf(center.latitude, center.longitude)).toBe(cell)
      }),
    )
  })
})
