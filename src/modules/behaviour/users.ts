/**
 * Profiles on one device or behind one ip: how many share it (fraud research 3.5). Times are ms since
 * 1970; a list holds short hashes and hours, so that a full one stays small.
 */
import type { DevicesParameters } from './devices.ts'
import type { Assessment } from './measurement.ts'
import { HOUR_MS } from './numbers.ts'
import { type Steps, step } from './steps.ts'

/** Profiles seen on one device or behind one ip, in the order of their first time. */
export type UsersState = {
  readonly profiles: readonly SeenProfile[]
  /** Profiles ever seen, also those that dropped out of `profiles`. */
  readonly count: number
  /** When the first of all was seen; 0 before there was one. */
  readonly since_hour: number
}

export type SeenProfile = readonly [
  profile: number,
  first_seen_hour: number,
  last_seen_hour: number,
]

export const EMPTY_USERS: UsersState = { profiles: [], count: 0, since_hour: 0 }

const USERS_MAX = 32

/** Profiles on one device within 30 days → strength, most first. Five alone bring it to review. */
const SHARED_DEVICE: Steps = [
  [10, 85],
  [7, 70],
  [5, 65],
  [4, 50],
  [3, 35],
  [2, 10],
]
/** Profiles that came to one device within a day → strength: nobody's family grows like that. */
const NEW_IN_DAY: Steps = [
  [8, 85],
  [5, 75],
  [4, 60],
  [3, 40],
]
/** Profiles behind one ip within a day: offices and carriers share theirs, so never much. */
const SHARED_IP: Steps = [
  [32, 30],
  [20, 20],
  [10, 10],
]

/** A household: few profiles, none of whom came lately. */
const HOUSEHOLD_MAX = 4
const SETTLED_HOURS = 7 * 24
/**
 * A public device has been shared by many for long, and no more come today than usual. Whoever runs
 * a device farm would have to be patient for two months without one confirmed fraud.
 */
const PUBLIC_DAYS = 60
const PUBLIC_PEOPLE = 30
const PUBLIC_RUSH = 3
const SHARED_WINDOW_HOURS = 30 * 24
const IP_WINDOW_HOURS = 24

/**
 * How many profiles share a device, the one at hand included. Halved for a household;
 * a public device says little of the next profile.
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

/** How many profiles came from one ip within a day: weak whatever the number. */
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

/** @returns the same state when the profile was seen within the hour, or later than this */
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

function assessed(score: number, finding: string, numbers: Assessment['numbers']): Assessment {
  return { score, strength: score, finding: score > 0 ? finding : null, numbers }
}
