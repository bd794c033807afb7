/**
 * The rules in force, remembered by the process: an order costs no query for them. They are read again
 * every second while they are used, for all who ask together, and nobody is answered from what is
 * older than two, so that other nodes follow within two seconds.
 */
import { createBatcher } from '../../../platform/batch.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import {
  DEFAULT_ORDER_PARAMETERS,
  type OrderParameters,
  storedOrderParameters,
} from '../scoring/parameters.ts'
import { findRulesInForce, type Owner, type StoredRules } from './store.ts'

/** Version 0 is the defaults. */
export type RulesInForce = { version: number; parameters: OrderParameters }

export type RulesMemory = {
  /** A promise only where they have to be read first. */
  of(owner: Owner): RulesInForce | Promise<RulesInForce>
  /** What was applied here is in force here at once. */
  learn(owner: Owner, rules: StoredRules | undefined): RulesInForce
}

export type RulesMemoryOptions = {
  db: Db
  /** From this age on they are read again, meanwhile they still count. */
  fresh_ms?: number
  /** From this age on they do not count any more. */
  stale_ms?: number
  owners_max?: number
}

const FRESH_MS = 1000
const STALE_MS = 2000
const OWNERS_MAX = 20_000
const OWNERS_PER_READ_MAX = 500

type Remembered = { rules: RulesInForce; read_at: number }

const DEFAULTS: RulesInForce = { version: 0, parameters: DEFAULT_ORDER_PARAMETERS }

export function createRulesMemory({
  db,
  fresh_ms = FRESH_MS,
  stale_ms = STALE_MS,
  owners_max = OWNERS_MAX,
}: RulesMemoryOptions): RulesMemory {
  const kept = new Map<string, Remembered>()
  const readings = new Map<string, Promise<RulesInForce>>()
  const reader = createBatcher({
    run: async (owners: Owner[]) => await findRulesInForce(db, owners),
    items_max: OWNERS_PER_READ_MAX,
    batches_in_flight_max: 2,
  })

  const remember = (owner: Owner, stored: StoredRules | undefined, read_at: number) => {
    const key = keyOf(owner)
    const before = kept.get(key)?.rules ?? DEFAULTS
    // What was read before something was applied here comes too late.
    const isOlder = (stored?.version ?? 0) <= before.version
    const rules = stored === undefined || isOlder ? before : readRules(stored)
    // The one that was read longest ago makes room.
    kept.delete(key)
    kept.set(key, { rules, read_at })
    for (const [oldest] of kept) {
      if (kept.size <= owners_max) break
      kept.delete(oldest)
    }
    return rules
  }

  const read = (owner: Owner): Promise<RulesInForce> => {
    const key = keyOf(owner)
    const running = readings.get(key)
    if (running) return running
    const asked_at = performance.now()
    const reading = reader
      .submit(owner)
      .then((stored) => remember(owner, stored, asked_at))
      .finally(() => readings.delete(key))
    readings.set(key, reading)
    return reading
  }

  return {
    of: (owner) => {
      const known = kept.get(keyOf(owner))
      if (known === undefined) return read(owner)
      const age_ms = performance.now() - known.read_at
      if (age_ms < fresh_ms) return known.rules
      const reading = read(owner)
      if (age_ms >= stale_ms) return reading
      // Whoever finds them stale is told of the failure.
      reading.catch(() => undefined)
      return known.rules
    },
    learn: (owner, stored) => remember(owner, stored, performance.now()),
  }
}

const readRules = ({ version, overrides }: StoredRules): RulesInForce => ({
  version,
  parameters: storedOrderParameters(overrides),
})

const keyOf = ({ org_id, mode }: Owner): string => `${org_id} ${mode}`
