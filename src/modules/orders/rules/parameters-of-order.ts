/**
 * Finds the rules that scored an order; explanations and decisions use those, not the active ones.
 */

import type { Mode, Owner } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import {
  DEFAULT_ORDER_PARAMETERS,
  type OrderParameters,
  storedOrderParameters,
} from '../scoring/parameters.ts'
import { DEFAULT_RULES, type ScoringRules, storedRules } from './active-rules.ts'
import { findStoredRules, listRulesVersions } from './store.ts'

type Scored = { org_id: string; mode: Mode; rules_version: number }

/** Queries only for orders that were not scored with the defaults. */
export async function parametersOfOrder(db: Db, order: Scored): Promise<OrderParameters> {
  if (order.rules_version === 0) return DEFAULT_ORDER_PARAMETERS
  const stored = await findStoredRules(db, order, order.rules_version)
  return storedOrderParameters(stored?.overrides)
}

/** Returns the whole rules for many orders of one organization and mode. */
export async function rulesOfOrders(
  db: Db,
  owner: Owner,
): Promise<(order: Pick<Scored, 'rules_version'>) => ScoringRules> {
  const versions = await listRulesVersions(db, owner, { limit: VERSIONS_MAX })
  const byVersion = new Map(versions.map((stored) => [stored.version, storedRules(stored)]))
  return ({ rules_version }) => byVersion.get(rules_version) ?? DEFAULT_RULES
}

/** More versions than people apply by hand. */
const VERSIONS_MAX = 100_000
