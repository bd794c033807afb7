import { describe, expect, it } from 'vitest'
import { type Center, moveCenter, reachesFrom } from './center.ts'
import { distanceKm } from './geometry.ts'

const settle = (points: readonly (readonly [number, number])[]): Center => {
  let center: Center | null = null
  for (const [latitude, longitude] of points) center = moveCenter(center, latitude, longitude)
  return center as unknown as Center
}
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)
const BERLIN = [52.52, 13.405] as const
const MUNICH = [48.137, 11.575] as const
const SYDNEY = [-33.87, 151.21] as const

describe('moveCenter', () => {
  it('stays at a place that is always the same', () => {
    const center = settle(times(10, BERLIN))
    expect(center).toEqual({ latitude: 52.52, longitude: 13.405, radius_km: 0, points: 10 })
  })

  it('lies between two alternately visited towns, with half their distance as radius', () => {
    const center = settle(times(20, [BERLIN, MUNICH]).flat())
    expect(center.radius_km).toBeGreaterThan(200)
    expect(center.radius_km).toBeLessThan(300)
    expect(reachesFrom(center, ...BERLIN)).toBeLessThan(1)
    expect(reachesFrom(center, ...MUNICH)).toBeLessThan(1)
  })

  it('is moved by a single journey no further than its reach', () => {
    const home = settle(times(10, BERLIN))
    const moved = moveCenter(home, ...SYDNEY)
    const moved_km = distanceKm(home.latitude, home.longitude, moved.latitude, moved.longitude)
    expect(moved_km).toBeLessThan(10)
    expect(reachesFrom(moved, ...SYDNEY)).toBeGreaterThan(100)
  })

  it('crosses the date line the short way', () => {
    const center = settle([
      [-17, 179],
      [-17, -179],
    ])
    expect(Math.abs(center.longitude)).toBeGreaterThan(179)
  })

  it('counts points up to a cap, so habits can change', () => {
    const moved = settle([...times(500, BERLIN), ...times(300, MUNICH)])
    expect(moved.points).toBe(50)
    expect(distanceKm(moved.latitude, moved.longitude, ...MUNICH)).toBeLessThan(50)
  })
})
