import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEVICES_PARAMETERS } from './devices.ts'
import {
  assessSharedDevice,
  assessSharedIp,
  EMPTY_USERS,
  learnUser,
  type UsersState,
} from './users.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 9, 1, 12)

/** Profiles 1, 2, 3 … seen these numbers of hours before `NOW`. */
const seen = (...hours_ago: readonly number[]): UsersState =>
  hours_ago.reduce<UsersState>(
    (state, hours, i) => learnUser(state, i + 1, NOW - hours * HOUR),
    EMPTY_USERS,
  )
const share = (state: UsersState | undefined, profile: number): number =>
  assessSharedDevice(state, profile, NOW, DEVICES_PARAMETERS).score
const hours = (count: number, step: number): number[] =>
  Array.from({ length: count }, (_, i) => (count - i) * step)

describe('profiles on one device', () => {
  it.each([
    [0, 0],
    [1, 10],
    [2, 35],
    [3, 50],
    [4, 65],
    [6, 70],
    [9, 85],
  ])('%d others give a strength of %d', (others, score) => {
    expect(share(seen(...hours(others, 23).map((ago) => ago + 24)), 99)).toBe(score)
  })

  it.each([
    [1, 10],
    [2, 40],
    [3, 60],
    [4, 75],
    [7, 85],
  ])('count more when all are new within a day: %d others give %d', (others, score) => {
    expect(share(seen(...hours(others, 1)), 99)).toBe(score)
  })

  it('are forgotten after 30 days', () => {
    expect(share(seen(40 * 24, 31 * 24, 29 * 24), 99)).toBe(10)
  })

  it('count half when they are few and not recent, as in a household', () => {
    const family = learnUser(seen(20 * 24, 19 * 24, 18 * 24, 17 * 24), 1, NOW - HOUR)
    expect(share(family, 1)).toBe(25)
    expect(share(family, 99)).toBe(65)
  })

  it('count little on a device that many people have used for months', () => {
    let kiosk = EMPTY_USERS
    for (let i = 0; i < 300; i += 1) kiosk = learnUser(kiosk, i, NOW - (300 - i) * 8 * HOUR)
    expect(share(kiosk, 999)).toBe(40)
    let rush = kiosk
    for (let i = 1000; i < 1012; i += 1) rush = learnUser(rush, i, NOW - HOUR)
    expect(share(rush, 1999)).toBe(85)
  })

  it('count fully on a device that was passed on recently', () => {
    let device = learnUser(EMPTY_USERS, 1, NOW - 90 * DAY)
    for (let i = 2; i < 14; i += 1) device = learnUser(device, i, NOW - (14 - i) * 10 * HOUR)
    expect(share(device, 99)).toBe(85)
  })
})

describe('profiles behind one ip', () => {
  it('are weak evidence in any number', () => {
    const ip = seen(...hours(31, 0.5))
    expect(assessSharedIp(ip, 99, NOW)).toMatchObject({ score: 30, finding: 'shared_ip' })
    expect(assessSharedIp(seen(3, 2, 1), 99, NOW).score).toBe(0)
    expect(assessSharedIp(ip, 99, NOW + 3 * DAY).score).toBe(0)
  })
})

describe('learnUser', () => {
  it('returns the same state within the hour and for a late event in between', () => {
    const state = learnUser(seen(50), 1, NOW)
    expect(learnUser(state, 1, NOW + 50 * 60_000)).toBe(state)
    expect(learnUser(state, 1, NOW - 20 * HOUR)).toBe(state)
    expect(learnUser(state, 1, NOW + HOUR)).not.toBe(state)
  })

  it('replaces the profile that was seen longest ago', () => {
    const full = learnUser(seen(...hours(32, 1)), 1, NOW)
    const next = learnUser(full, 99, NOW)
    expect(next.profiles).toHaveLength(32)
    expect(next.count).toBe(33)
    expect(next.profiles.map(([profile]) => profile)).not.toContain(2)
    expect(next.profiles.map(([profile]) => profile)).toEqual(expect.arrayContaining([1, 99]))
  })
})

it('a list stays small, consistent and unchanged by JSON for random events', () => {
  const event = fc.tuple(fc.integer({ min: 0, max: 2 ** 24 - 1 }), fc.integer({ min: 0, max: NOW }))
  fc.assert(
    fc.property(fc.array(event, { maxLength: 80 }), (events) => {
      let users = EMPTY_USERS
      for (const [id, at_ms] of events) {
        for (const score of [
          assessSharedIp(users, id, at_ms).score,
          assessSharedDevice(users, id, at_ms, DEVICES_PARAMETERS).score,
        ]) {
          expect(score >= 0 && score <= 100 && Number.isInteger(score)).toBe(true)
        }
        users = learnUser(freeze(users), id, at_ms)
      }
      expect(JSON.parse(JSON.stringify(users))).toStrictEqual(users)
      expect(JSON.stringify(users).length).toBeLessThan(880)
    }),
  )
})

const freeze = (state: UsersState): UsersState =>
  Object.freeze({ ...state, profiles: Object.freeze([...state.profiles]) })
