/** Caches the active rules, so that scoring needs no query for them. */

import type { Owner } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import {
  type CacheAges,
  createVersionedCache,
  type VersionedCache,
} from '../../../platform/versioned-cache.ts'
import {
  type CompiledRules,
  compileRules,
  countRules,
  examineCustomRules,
  NO_CUSTOM_RULES,
} from '../../custom-rules/index.ts'
import {
  DEFAULT_ORDER_PARAMETERS,
  type OrderParameters,
  storedOrderParameters,
} from '../scoring/parameters.ts'
import { findActiveRules, type StoredRules } from './store.ts'

/** What scores an order. */
export type ScoringRules = { parameters: OrderParameters; custom: CompiledRules }

/** Version 0 stands for the defaults. */
export type ActiveRules = ScoringRules & { version: number }

export type ActiveRulesCache = {
  /** Returns a promise only when the rules have to be read first. */
  of: VersionedCache<Owner, ActiveRules>['of']
  /** Makes rules that were applied on this node effective here immediately. */
  learn(owner: Owner, rules: StoredRules): ActiveRules
}

export type ActiveRulesCacheOptions = CacheAges & { db: Db; owners_max?: number }

const OWNERS_MAX = 20_000

export const DEFAULT_RULES: ActiveRules = {
  version: 0,
  parameters: DEFAULT_ORDER_PARAMETERS,
  custom: NO_CUSTOM_RULES,
}

export function createActiveRulesCache({
  db,
  owners_max = OWNERS_MAX,
  ...ages
}: ActiveRulesCacheOptions): ActiveRulesCache {
  const cache = createVersionedCache<Owner, ActiveRules>({
    ...ages,
    read: async (owners, known) => {
      const found = await findActiveRules(db, owners)
      return owners.map((owner, index) => activeOf(found[index], known(owner)))
    },
    keyOf: ({ org_id, mode }) => `${org_id} ${mode}`,
    versionOf: ({ version }) => version,
    sizeOf: ({ custom }) => 1 + countRules(custom),
    size_max: owners_max,
  })
  return { of: cache.of, learn: (owner, rules) => cache.learn(owner, readRules(rules)) }
}

/** Versions never change, so a known one is not read again. */
function activeOf(stored: StoredRules | undefined, known: ActiveRules | undefined): ActiveRules {
  if (stored === undefined) return DEFAULT_RULES
  return known?.version === stored.version ? known : readRules(stored)
}

const readRules = ({ version, ...stored }: StoredRules): ActiveRules => ({
  version,
  ...storedRules(stored),
})

/** Rules that a later version of the program can no longer read have no effect. Never throws. */
export const storedRules = ({
  overrides,
  custom_rules,
}: Pick<StoredRules, 'overrides' | 'custom_rules'>): ScoringRules => ({
  parameters: storedOrderParameters(overrides),
  custom: compileRules(examineCustomRules(custom_rules).rules),
})
