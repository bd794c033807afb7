/**
 * Profiles on one device or behind one IP address: assesses how many share it (fraud research 3.5).
 * Times are in ms since 1970. Lists hold short hashes and hours, so that a full one stays small.
 */
import { HOUR_MS } from '../../platform/time-units.ts'
import { curve, step } from '../risk/index.ts'
import type { DevicesParameters } from './devices.ts'
import { type Assessment, assessed } from './measurement.ts'

/** Profiles of one device or IP address, in the order in which they were first seen. */
export type UsersState = {
  readonly profiles: readonly SeenProfile[]
  /** Profiles ever seen, including those dropped from `profiles`. */
  readonly count: number
  /** Hour of the first profile; 0 before there is one. */
  readonly since_hour: number
}

export type SeenProfile = readonly [
  profile: number,
  first_seen_hour: number,
  last_seen_hour: number,
]

export const EMPTY_USERS: UsersState = { profiles: [], count: 0, since_hour: 0 }

const USERS_MAX = 32

/** Strength by profiles on one device within 30 days; five reach review without other signals. */
const SHARED_DEVICE = curve({ 2: 10, 3: 35, 4: 50, 5: 65, 7: 70, 10: 85 })
/** Strength by new profiles on one device within a day, more than a growing household explains. */
const NEW_IN_DAY = curve({ 3: 40, 4: 60, 5: 75, 8: 85 })
/**
 * Strength by profiles behind one IP address within a day; low, because offices and carriers share
 * addresses.
 */
const SHARED_IP = curve({ 10: 10, 20: 20, 32: 30 })

/** Few profiles, none of them recent, are a household. */
const HOUSEHOLD_MAX = 4
const SETTLED_HOURS = 7 * 24
/**
 * Many people have long shared a public device, and today brings no more new ones than usual. A
 * device farm would need two months without a confirmed fraud.
 */
const PUBLIC_DAYS = 60
const PUBLIC_PEOPLE = 30
const PUBLIC_RUSH = 3
const SHARED_WINDOW_HOURS = 30 * 24
const IP_WINDOW_HOURS = 24

/**
 * Assesses how many profiles, the current one included, share a device. A household counts half and
 * a public device little.
 */
export function assessSharedDevice(
  state: UsersState | undefined,
  profile: number,
  at_ms: number,
  { public_score }: DevicesParameters,
): Assessment {
  const users = state ?? EMPTY_USERS
  const hour = Math.floor(at_ms / HOUR_MS)
  const { people, new_in_day, newest_age } = countUsers(users, profile, hour, SHARED_WINDOW_HOURS)
  const strength = Math.max(step(SHARED_DEVICE, people), step(NEW_IN_DAY, new_in_day))
  const isHousehold = people <= HOUSEHOLD_MAX && newest_age >= SETTLED_HOURS
  const days = (hour - users.since_hour) / 24
  const isPublic =
    users.count >= PUBLIC_PEOPLE &&
    days >= PUBLIC_DAYS &&
    new_in_day <= Math.max(PUBLIC_RUSH, (PUBLIC_RUSH * users.count) / days)
  const most = isPublic ? public_score : 100
  const score = Math.min(most, isHousehold ? Math.floor(strength / 2) : strength)
  return assessed(score, 'shared_device', { profiles: people, new_profiles_day: new_in_day })
}

/** Assesses how many profiles used one IP address within a day; always weak. */
export function assessSharedIp(
  state: UsersState | undefined,
  profile: number,
  at_ms: number,
): Assessment {
  const hour = Math.floor(at_ms / HOUR_MS)
  const { people } = countUsers(state ?? EMPTY_USERS, profile, hour, IP_WINDOW_HOURS)
  const score = step(SHARED_IP, people)
  return assessed(score, 'shared_ip', { ip_profiles: people })
}

/** @returns the same state when it already covers the hour for the profile */
export function learnUser(state: UsersState, profile: number, at_ms: number): UsersState {
  const hour = Math.floor(at_ms / HOUR_MS)
  const { profiles } = state
  let oldest = 0
  for (let i = 0; i < profiles.length; i += 1) {
    const entry = profiles[i]
    if (entry === undefined) continue
    const last_seen = entry[2]
    if (entry[0] === profile) {
      const first_seen = entry[1]
      if (hour <= last_seen && hour >= first_seen) return state
      const next = profiles.slice()
      next[i] = [profile, Math.min(first_seen, hour), Math.max(last_seen, hour)]
      return { ...state, profiles: next }
    }
    if (last_seen < (profiles[oldest]?.[2] ?? 0)) oldest = i
  }
  const since_hour = profiles.length === 0 ? hour : Math.min(state.since_hour, hour)
  const seen: SeenProfile = [profile, hour, hour]
  const count = state.count + 1
  if (profiles.length < USERS_MAX) return { profiles: [...profiles, seen], count, since_hour }
  const next = profiles.filter((_, i) => i !== oldest)
  next.push(seen)
  return { profiles: next, count, since_hour }
}

function countUsers(
  users: UsersState,
  profile: number,
  hour: number,
  window_hours: number,
): { people: number; new_in_day: number; newest_age: number } {
  let people = 1
  let new_in_day = 1
  let newest_age = 0
  let isNew = true
  let youngest = Number.MAX_SAFE_INTEGER
  for (const entry of users.profiles) {
    const age = Math.abs(hour - entry[1])
    if (entry[0] === profile) {
      isNew = false
      newest_age = age
      if (age > 24) new_in_day -= 1
    } else if (Math.abs(hour - entry[2]) <= window_hours) {
      people += 1
      if (age <= 24) new_in_day += 1
      if (age < youngest) youngest = age
    }
  }
  return { people, new_in_day, newest_age: isNew ? 0 : Math.min(newest_age, youngest) }
}
