import { describe, expect, it } from 'vitest'
import { type Centre, moveCentre, reachesFrom } from './centre.ts'
import { distanceKm } from './geometry.ts'

const settle = (points: readonly (readonly [number, number])[]): Centre => {
  let centre: Centre | null = null
  for (const [latitude, longitude] of points) centre = moveCentre(centre, latitude, longitude)
  return centre as unknown as Centre
}
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)
const BERLIN = [52.52, 13.405] as const
const MUNICH = [48.137, 11.575] as const
const SYDNEY = [-33.87, 151.21] as const

describe('moveCentre', () => {
  it('stays where somebody always is', () => {
    const centre = settle(times(10, BERLIN))
    expect(centre).toEqual({ latitude: 52.52, longitude: 13.405, radius_km: 0, points: 10 })
  })

  it('lies between two towns that are visited in turns, with the radius of half their distance', () => {
    const centre = settle(times(20, [BERLIN, MUNICH]).flat())
    expect(centre.radius_km).toBeGreaterThan(200)
    expect(centre.radius_km).toBeLessThan(300)
    expect(reachesFrom(centre, ...BERLIN)).toBeLessThan(1)
    expect(reachesFrom(centre, ...MUNICH)).toBeLessThan(1)
  })

  it('is moved by no single journey further than its reach', () => {
    const home = settle(times(10, BERLIN))
    const moved = moveCentre(home, ...SYDNEY)
    const moved_km = distanceKm(home.latitude, home.longitude, moved.latitude, moved.longitude)
    expect(moved_km).toBeLessThan(10)
    expect(reachesFrom(moved, ...SYDNEY)).toBeGreaterThan(100)
  })

  it('crosses the date line the short way', () => {
    const centre = settle([
      [-17, 179],
      [-17, -179],
    ])
    expect(Math.abs(centre.longitude)).toBeGreaterThan(179)
  })

  it('counts points up to a cap, so that habits may change', () => {
    const moved = settle([...times(500, BERLIN), ...times(300, MUNICH)])
    expect(moved.points).toBe(50)
    expect(distanceKm(moved.latitude, moved.longitude, ...MUNICH)).toBeLessThan(50)
  })
})
