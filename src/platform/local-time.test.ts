import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLocalHours } from './local-time.ts'

const hours = createLocalHours('Europe/Berlin')
const hourAt = (time: string, latitude?: number, longitude?: number): number =>
  hours.hourAt(new Date(time), latitude, longitude)

describe('the local hour', () => {
  it.each([
    ['Tokyo', '2026-03-01T12:30:00Z', 35.68, 139.69, 21],
    ['New York in winter', '2026-01-15T04:59:59Z', 40.71, -74.01, 23],
    ['New York in summer', '2026-07-15T03:59:59Z', 40.71, -74.01, 23],
    ['Kathmandu, 5:45 ahead', '2026-03-01T18:14:59Z', 27.72, 85.32, 23],
    ['Kathmandu a second later', '2026-03-01T18:15:00Z', 27.72, 85.32, 0],
    ['Paris before the clock goes forward', '2026-03-29T00:59:59Z', 48.86, 2.35, 1],
    ['Paris after it', '2026-03-29T01:00:00Z', 48.86, 2.35, 3],
    ['Paris, the first time of two', '2026-10-25T00:30:00Z', 48.86, 2.35, 2],
    ['Paris, the second time', '2026-10-25T01:30:00Z', 48.86, 2.35, 2],
    ["St. John's before a minute past midnight", '2008-03-09T03:30:59Z', 47.56, -52.71, 0],
    ["St. John's, forward at a minute past midnight", '2008-03-09T03:31:00Z', 47.56, -52.71, 1],
    ["St. John's, back at a minute past midnight", '2008-11-02T02:31:00Z', 47.56, -52.71, 23],
  ])('is taken from the coordinates: %s', (_, time, latitude, longitude, hour) => {
    expect(hourAt(time, latitude, longitude)).toBe(hour)
  })

  it('uses the operator’s zone without coordinates, or with only one of them', () => {
    expect(hourAt('2026-01-15T12:00:00Z')).toBe(13)
    expect(hourAt('2026-07-15T12:00:00Z')).toBe(14)
    expect(hourAt('2026-01-15T12:00:00Z', 35.68)).toBe(13)
  })

  it('is between 0 and 23 for every place and time', () => {
    const anywhere = fc.tuple(
      fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
      fc.double({ min: -90, max: 90, noNaN: true }),
      fc.double({ min: -180, max: 180, noNaN: true }),
    )
    fc.assert(
      fc.property(anywhere, ([time, latitude, longitude]) => {
        const hour = hours.hourAt(time, latitude, longitude)
        expect(Number.isInteger(hour) && hour >= 0 && hour <= 23).toBe(true)
      }),
    )
    for (const longitude of [-180, 180]) {
      for (const latitude of [-90, 90]) {
        expect(hourAt('2026-01-15T12:00:00Z', latitude, longitude)).toBeGreaterThanOrEqual(0)
      }
    }
  })

  it('agrees with Intl, however many zones and times were queried before', () => {
    const zone = 'America/St_Johns'
    const format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hour: 'numeric',
      hourCycle: 'h23',
    })
    const newfoundland = createLocalHours(zone)
    const time = fc.date({
      min: new Date('1980-01-01'),
      max: new Date('2040-01-01'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(time, (at) => {
        const hour = Number(format.formatToParts(at).find(({ type }) => type === 'hour')?.value)
        expect(newfoundland.hourAt(at, undefined, undefined)).toBe(hour)
      }),
      // Also around a clock change, where a mistake would show.
      { numRuns: 3000, examples: [[new Date('2008-03-09T03:36:00Z')]] },
    )
  })
})
