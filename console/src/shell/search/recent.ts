/** The items that a person opened last through the search, in this browser. */
import { readStored, store } from '../browser-storage.ts'
import type { Mode } from '../organization.ts'
import type { Entry } from './entries.ts'

/** Items of an organization and mode are shown there only. */
export type Place = { user_id: string; org_id: string; mode: Mode }

const RECENT_MAX = 8
const keyOf = ({ user_id, org_id, mode }: Place): string =>
  `vigil:recent:${user_id}:${org_id}:${mode}`

export function recentEntries(place: Place): Entry[] {
  try {
    const stored: unknown = JSON.parse(readStored(keyOf(place)) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isEntry).slice(0, RECENT_MAX) : []
  } catch {
    return []
  }
}

export function rememberEntry(place: Place, { name, remark, link }: Entry): void {
  const others = recentEntries(place).filter((entry) => entry.link !== link)
  store(keyOf(place), JSON.stringify([{ name, remark, link }, ...others].slice(0, RECENT_MAX)))
}

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' &&
  value !== null &&
  'link' in value &&
  typeof value.link === 'string' &&
  'name' in value &&
  typeof value.name === 'string'
