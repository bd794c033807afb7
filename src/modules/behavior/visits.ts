/**
 * Visit counts of a few keys that favor recent visits. A visit weighs 1 at `origin` and more the
 * later it is, so a new visit changes one entry and a late one needs no special treatment.
 */
import { decay, readable } from './numbers.ts'

/** Keys with their weights, unordered. */
export type Visits<Key> = readonly (readonly [key: Key, weight: number])[]

/** @returns the weight of a visit at a time; below 1 before the origin */
export function visitWeight(at_ms: number, origin: number, half_life_ms: number): number {
  if (at_ms < origin) return decay(origin - at_ms, half_life_ms)
  return 1 / decay(at_ms - origin, half_life_ms)
}

/** @returns the weight of a key, or 0 when it is not in the list */
export function weightOf<Key>(visits: Visits<Key>, key: Key): number {
  for (const entry of visits) if (entry[0] === key) return entry[1]
  return 0
}

/** Adds a visit. In a full list it replaces the key with the lowest weight. */
export function visit<Key>(
  visits: Visits<Key>,
  key: Key,
  weight: number,
  count_max: number,
): Visits<Key> {
  const next = visits.slice()
  let least = 0
  let least_weight = Number.MAX_VALUE
  for (let i = 0; i < visits.length; i += 1) {
    const entry = visits[i]
    if (entry === undefined) continue
    if (entry[0] === key) {
      next[i] = [key, readable(entry[1] + weight)]
      return next
    }
    if (entry[1] < least_weight) {
      least = i
      least_weight = entry[1]
    }
  }
  next[visits.length < count_max ? visits.length : least] = [key, readable(weight)]
  return next
}

/** Scales all weights to a new origin and drops the faded ones. */
export function faded<Key>(visits: Visits<Key>, share: number): Visits<Key> {
  const next: (readonly [Key, number])[] = []
  for (const entry of visits) {
    const left = entry[1] * share
    if (left >= WEIGHT_MIN) next.push([entry[0], readable(left)])
  }
  return next
}

const WEIGHT_MIN = 0.01
