import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { distanceKm, type Point, placeIn, unwrapped, viewOf } from './view.ts'

const point: fc.Arbitrary<Point> = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
})
const BERLIN = { latitude: 52.52, longitude: 13.405 }
const SUVA = { latitude: -18.14, longitude: 178.44 }
const APIA = { latitude: -13.83, longitude: -171.77 }

describe('the view of a map', () => {
  it('contains all of its points', () => {
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 8 }), (points) => {
        const view = viewOf(points, 16 / 9)
        for (const one of points) {
          const { x, y } = placeIn(view, one)
          expect(x).toBeGreaterThanOrEqual(-1e-6)
          expect(x).toBeLessThanOrEqual(view.width * view.squeeze + 1e-6)
          expect(y).toBeGreaterThanOrEqual(-1e-6)
          expect(y).toBeLessThanOrEqual(view.height + 1e-6)
        }
      }),
    )
  })

  it('stays narrow for two places on both sides of the date line', () => {
    expect(viewOf([SUVA, APIA], 16 / 9).width).toBeLessThan(40)
    expect(unwrapped([178.44, -171.77])).toEqual([178.44, 188.23])
  })

  it('of one place has a minimum height', () => {
    expect(viewOf([BERLIN], 2)).toMatchObject({ height: 5 })
  })
})

describe('distances', () => {
  it('follow the great circle', () => {
    expect(Math.round(distanceKm(BERLIN, { latitude: 51.5074, longitude: -0.1278 }))).toBe(932)
    expect(Math.round(distanceKm(SUVA, APIA))).toBe(1151)
  })
})
