/**
 * The rules of orders: what is in force, what was, and how it changes. Each organisation and mode has
 * versions of its own; whoever applies one says upon which he builds.
 */
import type { Clock } from '../../../platform/clock.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { insertAudit } from '../../audit/index.ts'
import {
  DEFAULT_ORDER_PARAMETERS,
  type OrderParameters,
  overridesOf,
  storedOrderParameters,
} from '../scoring/parameters.ts'
import { createRulesMemory, type RulesInForce, type RulesMemoryOptions } from './in-force.ts'
import type { RuleChange, RuleOverrides, RulesApplied, RulesShown, RulesVersion } from './schema.ts'
import { sectionsOf } from './sections.ts'
import {
  findOverrides,
  findRulesInForce,
  insertRulesVersion,
  listRulesVersions,
  type Owner,
  type StoredVersion,
} from './store.ts'

export type OrderRules = {
  /** For scoring: remembered, at most two seconds old. A promise only where it has to be read. */
  inForce(owner: Owner): RulesInForce | Promise<RulesInForce>
  /** As they are stored now, with the explanations. */
  show(owner: Owner): Promise<RulesShown>
  /** Newest first. */
  listVersions(
    owner: Owner,
    page: { before?: number | undefined; limit: number },
  ): Promise<RulesVersion[]>
  apply(owner: Owner, parameters: OrderParameters, by: Applying): Promise<ApplyResult>
  /** @param version one that was in force, or 0 for the defaults */
  rollBack(owner: Owner, version: number, by: Applying): Promise<ApplyResult>
}

export type Applying = {
  /** The version that is in force as far as he knows. */
  base_version: number
  note: string | null
  /** A user, or `cli`. */
  by: string
}

/** `base_version`: another one is in force by now. */
export type ApplyResult =
  | RulesApplied
  | { refused: 'base_version' | 'unchanged' | 'version'; in_force: number }

export type OrderRulesDependencies = { db: Database; clock: Clock; newId: NewId } & Pick<
  RulesMemoryOptions,
  'fresh_ms' | 'stale_ms'
>

export function createOrderRules(deps: OrderRulesDependencies): OrderRules {
  const { db } = deps
  const memory = createRulesMemory(deps)
  const write = async (owner: Owner, given: Given): Promise<ApplyResult> => {
    const result = await db.transaction().execute((tx) => writeVersion(tx, owner, given, deps))
    if (!('refused' in result)) {
      memory.learn(owner, { version: result.version, overrides: given.overrides })
    }
    return result
  }
  return {
    inForce: memory.of,
    show: async (owner) => {
      const [applied] = await listRulesVersions(db, owner, { limit: 1 })
      const overrides = applied?.overrides ?? {}
      return {
        version: applied?.version ?? 0,
        overrides,
        applied: applied ? shownVersion(applied) : null,
        sections: sectionsOf(storedOrderParameters(overrides)),
      }
    },
    listVersions: async (owner, page) =>
      (await listRulesVersions(db, owner, page)).map(shownVersion),
    apply: async (owner, parameters, by) =>
      await write(owner, { ...by, overrides: overridesOf(parameters), rolled_back_to: null }),
    rollBack: async (owner, version, by) => {
      const overrides = version === 0 ? {} : await findOverrides(db, owner, version)
      if (overrides === undefined || version >= by.base_version) {
        const [now] = await findRulesInForce(db, [owner])
        return { refused: 'version', in_force: now?.version ?? 0 }
      }
      return await write(owner, { ...by, overrides, rolled_back_to: version })
    },
  }
}

type Given = Applying & { overrides: RuleOverrides; rolled_back_to: number | null }

async function writeVersion(
  tx: Database,
  owner: Owner,
  { base_version, note, by, overrides, rolled_back_to }: Given,
  { clock, newId }: OrderRulesDependencies,
): Promise<ApplyResult> {
  const [before] = await findRulesInForce(tx, [owner])
  const in_force = before?.version ?? 0
  if (in_force !== base_version) return { refused: 'base_version', in_force }
  const changes = changesBetween(
    storedOrderParameters(before?.overrides ?? {}),
    storedOrderParameters(overrides),
  )
  if (changes.length === 0) return { refused: 'unchanged', in_force }
  const now = clock.now()
  const version = base_version + 1
  const row = { ...owner, version, overrides, note, rolled_back_to, applied_at: now }
  const isWritten = await insertRulesVersion(tx, { ...row, applied_by: by })
  // Somebody else applied another one at this moment.
  if (!isWritten) return { refused: 'base_version', in_force: version }
  await insertAudit(tx, owner.org_id, {
    id: newId(now),
    at: now,
    actor_user_id: isUuid(by) ? by : null,
    action: rolled_back_to === null ? 'rules.applied' : 'rules.rolled_back',
    target: `order rules, ${owner.mode}, version ${version}`,
    details: { mode: owner.mode, version, rolled_back_to, note, changes },
  })
  return { version, changes }
}

/** Every number that is another one now. */
export function changesBetween(before: OrderParameters, after: OrderParameters): RuleChange[] {
  const [from, to] = [before, after] as unknown as RuleOverrides[]
  return Object.keys(DEFAULT_ORDER_PARAMETERS).flatMap((section) =>
    Object.entries(to?.[section] ?? {}).flatMap(([name, value]) => {
      const was = from?.[section]?.[name] ?? value
      return was === value ? [] : [{ section, name, from: was, to: value }]
    }),
  )
}

const shownVersion = ({ applied_at, ...version }: StoredVersion): RulesVersion => ({
  ...version,
  applied_at: applied_at.toISOString(),
})
