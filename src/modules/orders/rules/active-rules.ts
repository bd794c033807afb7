/**
 * Caches the active rules so that scoring needs no query for them. While they are used they are
 * read again every second, in one query for all concurrent callers, and a cached version older than
 * two seconds is not returned, so other nodes follow within two seconds.
 */

import { createBatcher } from '../../../platform/batch.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import {
  DEFAULT_ORDER_PARAMETERS,
  type OrderParameters,
  storedOrderParameters,
} from '../scoring/parameters.ts'
import { findActiveRules, type StoredRules } from './store.ts'

/** Version 0 stands for the defaults. */
export type ActiveRules = { version: number; parameters: OrderParameters }

export type ActiveRulesCache = {
  /** Returns a promise only when the rules have to be read first. */
  of(owner: Owner): ActiveRules | Promise<ActiveRules>
  /** Makes rules that were applied on this node effective here immediately. */
  learn(owner: Owner, rules: StoredRules | undefined): ActiveRules
}

export type ActiveRulesCacheOptions = {
  db: Db
  /** Age from which rules are read again while the cached ones are still returned. */
  fresh_ms?: number
  /** Age from which cached rules are no longer returned. */
  stale_ms?: number
  owners_max?: number
}

const FRESH_MS = 1000
const STALE_MS = 2000
const OWNERS_MAX = 20_000
const OWNERS_PER_READ_MAX = 500

type CachedRules = { rules: ActiveRules; read_at: number }

const DEFAULTS: ActiveRules = { version: 0, parameters: DEFAULT_ORDER_PARAMETERS }

export function createActiveRulesCache({
  db,
  fresh_ms = FRESH_MS,
  stale_ms = STALE_MS,
  owners_max = OWNERS_MAX,
}: ActiveRulesCacheOptions): ActiveRulesCache {
  const cached = new Map<string, CachedRules>()
  const readings = new Map<string, Promise<ActiveRules>>()
  const reader = createBatcher({
    run: async (owners: Owner[]) => await findActiveRules(db, owners),
    items_max: OWNERS_PER_READ_MAX,
    batches_in_flight_max: 2,
  })

  const store = (owner: Owner, stored: StoredRules | undefined, read_at: number) => {
    const key = keyOf(owner)
    const before = cached.get(key)?.rules ?? DEFAULTS
    // A read that started before rules were applied here may return the older version.
    const isOlder = (stored?.version ?? 0) <= before.version
    const rules = stored === undefined || isOlder ? before : readRules(stored)
    // Map order is age: the entry that was read longest ago is evicted first.
    cached.delete(key)
    cached.set(key, { rules, read_at })
    for (const [oldest] of cached) {
      if (cached.size <= owners_max) break
      cached.delete(oldest)
    }
    return rules
  }

  const read = (owner: Owner): Promise<ActiveRules> => {
    const key = keyOf(owner)
    const running = readings.get(key)
    if (running) return running
    const started_at = performance.now()
    const reading = reader
      .submit(owner)
      .then((stored) => store(owner, stored, started_at))
      .finally(() => readings.delete(key))
    readings.set(key, reading)
    return reading
  }

  return {
    of: (owner) => {
      const known = cached.get(keyOf(owner))
      if (known === undefined) return read(owner)
      const age_ms = performance.now() - known.read_at
      if (age_ms < fresh_ms) return known.rules
      const reading = read(owner)
      if (age_ms >= stale_ms) return reading
      // A failed refresh is reported to the caller that finds the rules stale.
      reading.catch(() => undefined)
      return known.rules
    },
    learn: (owner, stored) => store(owner, stored, performance.now()),
  }
}

const readRules = ({ version, overrides }: StoredRules): ActiveRules => ({
  version,
  parameters: storedOrderParameters(overrides),
})

const keyOf = ({ org_id, mode }: Owner): string => `${org_id} ${mode}`
