import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  assessNewDevices,
  type DevicesState,
  EMPTY_DEVICES,
  isNewDevice,
  linkDevice,
  newDeviceRate,
} from './devices.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 9, 1, 12)
/** First-seen times that are too recent for a habit, and old enough. */
const NEW = NOW - 24 * HOUR
const SETTLED = NOW - 90 * 24 * HOUR

/** Links devices 1, 2, 3 … these numbers of hours before `NOW`. */
const linked = (...hours_ago: readonly number[]): DevicesState =>
  hours_ago.reduce<DevicesState>(
    (state, hours, i) => linkDevice(state, i + 1, NOW - hours * HOUR),
    EMPTY_DEVICES,
  )

describe('new devices of a profile', () => {
  it.each([
    [[], 0],
    [[1], 30],
    [[2, 1], 55],
    [[3, 2, 1], 70],
    [[4, 3, 2, 1], 80],
    [[30 * 24], 0],
    [[90, 70, 50], 30],
    [[150, 140, 120, 100, 80], 55],
  ])('linked %j hours ago give another one a strength of %d', (hours_ago, score) => {
    const found = assessNewDevices(linked(...hours_ago), 99, NOW, NEW)
    expect(found.score).toBe(score)
    expect(found.finding).toBe(score === 0 ? null : 'rapid_device_change')
  })

  it('count as long as they are new, for an order from any of them', () => {
    const burst = linked(5, 4, 3, 2, 1)
    expect(assessNewDevices(burst, 1, NOW, NEW)).toMatchObject({
      score: 80,
      numbers: { new_devices_day: 5, new_devices_week: 5, devices_known: 5 },
    })
  })

  it('do not count for an order from a long-known device', () => {
    expect(assessNewDevices(linked(30 * 24, 4, 3, 2, 1), 1, NOW, NEW).score).toBe(0)
  })

  it('do not count for a profile that often has new ones, up to its usual rate', () => {
    const weeks = Array.from({ length: 40 }, (_, i) => 24 * (90 - 2 * i))
    const fortnightly = linked(...weeks.filter((hours) => hours > 24 * 7), 150, 100, 50)
    expect(assessNewDevices(fortnightly, 99, NOW, SETTLED).score).toBe(0)
    const more = [5, 4, 3, 2].reduce(
      (state, hours) => linkDevice(state, 500 + hours, NOW - hours * HOUR),
      fortnightly,
    )
    expect(assessNewDevices(more, 99, NOW, SETTLED).score).toBe(80)
  })

  it('do not count for an unknown profile', () => {
    expect(assessNewDevices(undefined, 1, NOW, NOW).score).toBe(0)
  })
})

describe('a device is new for a profile', () => {
  it('with an older one for its first three days', () => {
    expect(isNewDevice(EMPTY_DEVICES, 99, NOW)).toBe(false)
    expect(isNewDevice(linked(2), 99, NOW)).toBe(false)
    expect(isNewDevice(linked(100), 99, NOW)).toBe(true)
    expect(isNewDevice(linked(100), 1, NOW)).toBe(false)
    expect(isNewDevice(linked(100, 71), 2, NOW)).toBe(true)
    expect(isNewDevice(linked(100, 73), 2, NOW)).toBe(false)
  })
})

it('a habit of new devices excludes the last days and takes more than two orders', () => {
  expect(newDeviceRate(EMPTY_DEVICES, 0, NOW)).toBe(0)
  expect(newDeviceRate(linked(100), 1, NOW)).toBe(0)
  expect(newDeviceRate(linked(300, 200, 100), 5, NOW)).toBe(0.25)
  expect(newDeviceRate(linked(300, 200, 100, 2), 5, NOW)).toBe(0.25)
  expect(newDeviceRate({ ...linked(300), count: 50 }, 20, NOW)).toBe(1)
})

describe('linkDevice', () => {
  it('returns the same state for the most recently used device', () => {
    const state = linked(3, 2)
    expect(linkDevice(state, 2, NOW)).toBe(state)
  })

  it('counts a device once and keeps its first-seen time', () => {
    const state = linkDevice(linked(48, 2), 1, NOW)
    expect(state.count).toBe(2)
    expect(state.known[0]).toEqual([1, (NOW - 48 * HOUR) / 60_000])
  })

  it('takes an earlier first-seen time from a late event', () => {
    const state = linkDevice(linked(2), 1, NOW - 50 * HOUR)
    expect(state.known).toEqual([[1, (NOW - 50 * HOUR) / 60_000]])
  })

  it('keeps the ten most recently used devices and counts all', () => {
    let state = EMPTY_DEVICES
    for (let device = 1; device <= 100; device += 1) {
      state = linkDevice(state, device, NOW + device * 60_000)
      state = linkDevice(state, 1, NOW + device * 60_000)
    }
    expect(state.count).toBe(100)
    expect(state.known).toHaveLength(10)
    expect(state.known.map(([device]) => device)).toContain(1)
    expect(state.known.map(([device]) => device)).not.toContain(50)
  })
})

it('a list stays small, consistent and unchanged by JSON for random events', () => {
  const event = fc.tuple(fc.integer({ min: 0, max: 2 ** 24 - 1 }), fc.integer({ min: 0, max: NOW }))
  fc.assert(
    fc.property(fc.array(event, { maxLength: 80 }), (events) => {
      let devices = EMPTY_DEVICES
      for (const [id, at_ms] of events) {
        const { score } = assessNewDevices(devices, id, at_ms, NOW - 99 * HOUR)
        expect(score >= 0 && score <= 100 && Number.isInteger(score)).toBe(true)
        devices = linkDevice(freeze(devices), id, at_ms)
      }
      expect(JSON.parse(JSON.stringify(devices))).toStrictEqual(devices)
      expect(JSON.stringify(devices).length).toBeLessThan(230)
    }),
  )
})

const freeze = (state: DevicesState): DevicesState =>
  Object.freeze({ ...state, known: Object.freeze([...state.known]) })
