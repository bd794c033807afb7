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
import { findOverrides, listRulesVersions } from './store.ts'

type Scored = { org_id: string; mode: Mode; rules_version: number }

/** Queries only for orders that were not scored with the defaults. */
export async function parametersOfOrder(db: Db, order: Scored): Promise<OrderParameters> {
  if (order.rules_version === 0) return DEFAULT_ORDER_PARAMETERS
  return storedOrderParameters(await findOverrides(db, order, order.rules_version))
}

/** The same for many orders of one organization and mode. */
export async function parametersOfOrders(
  db: Db,
  owner: Owner,
): Promise<(order: Pick<Scored, 'rules_version'>) => OrderParameters> {
  const versions = await listRulesVersions(db, owner, { limit: VERSIONS_MAX })
  const byVersion = new Map(
    versions.map(({ version, overrides }) => [version, storedOrderParameters(overrides)]),
  )
  return ({ rules_version }) => byVersion.get(rules_version) ?? DEFAULT_ORDER_PARAMETERS
}

/** More versions than people apply by hand. */
const VERSIONS_MAX = 100_000
