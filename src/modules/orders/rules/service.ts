/**
 * Versions of the order rules, separate for each organization and mode. Applying names the version
 * that the change is based on.
 */

import type { Clock } from '../../../platform/clock.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { emailsOf } from '../../accounts/index.ts'
import type { insertAudit } from '../../audit/index.ts'
import {
  type CustomRule,
  customRuleChanges,
  type RuledSubjects,
  type RulesInEffect,
} from '../../custom-rules/index.ts'
import {
  DEFAULT_ORDER_PARAMETERS,
  type NumbersBySection,
  type OrderParameters,
  overridesOf,
  type RuleOverrides,
  storedOrderParameters,
} from '../scoring/parameters.ts'
import {
  type ActiveRules,
  type ActiveRulesCacheOptions,
  createActiveRulesCache,
} from './active-rules.ts'
import { readMatches } from './matches.ts'
import type { RuleChange, RuleMatches, RulesApplied, RulesShown, RulesVersion } from './schema.ts'
import { orderRuleSections } from './sections.ts'
import {
  findActiveRules,
  findStoredRules,
  insertRulesVersion,
  listRulesVersions,
  type StoredVersion,
} from './store.ts'

export type OrderRules = {
  /**
   * Returns cached rules for scoring, at most two seconds old; a promise only when they must be
   * read.
   */
  active(owner: Owner): ActiveRules | Promise<ActiveRules>
  /** Reads the active rules with their explanations. */
  show(owner: Owner): Promise<RulesShown>
  /** Newest first. */
  listVersions(
    owner: Owner,
    page: { before?: number | undefined; limit: number },
  ): Promise<RulesVersion[]>
  apply(owner: Owner, parameters: OrderParameters, by: Applying): Promise<ApplyResult>
  /** Counts what the custom rules did to the newest orders, checks and cashier actions. */
  matches(owner: Owner): Promise<RuleMatches>
  /**
   * Switches off rules that take too long, in a new version. Does nothing when another version
   * has become active.
   */
  switchOff(owner: Owner, version: number, names: readonly string[]): Promise<void>
  /**
   * Switches off rules that scoring has found to be too slow, without waiting for it. What revealed a slow
   * rule is scored with it; only what follows is not.
   */
  switchOffSlow(owner: Owner, rules: RulesInEffect): void
  /** @param version an earlier version, or 0 for the defaults */
  rollBack(owner: Owner, version: number, by: Applying): Promise<ApplyResult>
}

export type Applying = {
  /** Version that the caller believes to be active. */
  base_version: number
  note: string | null
  /** User id, `cli`, `learning` or `budget`. */
  by: string
  /** Those of the active version remain if they are left out. */
  custom_rules?: readonly CustomRule[] | undefined
}

/** `base_version` means that another version has become active. */
export type ApplyResult =
  | RulesApplied
  | { refused: 'base_version' | 'unchanged' | 'version'; active: number }

export type OrderRulesDependencies = {
  db: Database
  directory: Database
  clock: Clock
  newId: NewId
  audit: typeof insertAudit
  log: Log
  ruled: RuledSubjects
} & Pick<ActiveRulesCacheOptions, 'fresh_ms' | 'stale_ms'>

export function createOrderRules(deps: OrderRulesDependencies): OrderRules {
  const { db, directory } = deps
  const shown = async (versions: readonly StoredVersion[]): Promise<RulesVersion[]> => {
    const emails = await emailsOf(
      directory,
      versions.map(({ applied_by }) => applied_by),
    )
    return versions.map((version) => versionRecord(version, emails.get(version.applied_by)))
  }
  const cache = createActiveRulesCache(deps)
  const write = async (owner: Owner, rules: NewRules): Promise<ApplyResult> => {
    const result = await db.transaction().execute((tx) => writeVersion(tx, owner, rules, deps))
    if (!('refused' in result)) {
      const { version, custom_rules } = result.stored
      cache.learn(owner, { version, overrides: rules.overrides, custom_rules })
      return result.applied
    }
    return result
  }
  const switchOff: OrderRules['switchOff'] = async (owner, version, names) => {
    const [now] = await findActiveRules(db, [owner])
    if (now === undefined || now.version !== version) return
    const custom_rules = now.custom_rules.map(
      (rule): CustomRule =>
        names.includes(rule.name) ? { ...rule, state: 'off', warning: OVER_BUDGET } : rule,
    )
    const note = `Switched off because of the time they take: ${names.join(', ')}`
    const by = { base_version: version, note, by: 'budget', custom_rules }
    await write(owner, { ...by, overrides: now.overrides, rolled_back_to: null })
  }
  return {
    active: cache.of,
    show: async (owner) => {
      const [applied] = await listRulesVersions(db, owner, { limit: 1 })
      const overrides = applied?.overrides ?? {}
      return {
        version: applied?.version ?? 0,
        overrides,
        custom_rules: applied?.custom_rules ?? [],
        applied: applied ? ((await shown([applied]))[0] ?? null) : null,
        sections: orderRuleSections(storedOrderParameters(overrides)),
      }
    },
    listVersions: async (owner, page) => await shown(await listRulesVersions(db, owner, page)),
    matches: async (owner) => {
      const [active] = await findActiveRules(db, [owner])
      return await readMatches(deps, owner, active?.custom_rules ?? [])
    },
    apply: async (owner, parameters, by) =>
      await write(owner, { ...by, overrides: overridesOf(parameters), rolled_back_to: null }),
    switchOff,
    switchOffSlow: ({ org_id, mode }, { version, custom }) => {
      const rules = custom.exceeded()
      if (rules.length === 0) return
      const owner = { org_id, mode }
      deps.log.warn({ ...owner, rules }, 'custom rules take too long and are switched off')
      switchOff(owner, version, rules).catch((error: unknown) => {
        deps.log.error({ err: error, ...owner }, 'switching off custom rules failed')
      })
    },
    rollBack: async (owner, version, by) => {
      const stored = version === 0 ? NO_RULES : await findStoredRules(db, owner, version)
      if (stored === undefined || version >= by.base_version) {
        const [now] = await findActiveRules(db, [owner])
        return { refused: 'version', active: now?.version ?? 0 }
      }
      const { overrides, custom_rules } = stored
      return await write(owner, { ...by, overrides, custom_rules, rolled_back_to: version })
    },
  }
}

const NO_RULES = { overrides: {}, custom_rules: [] }
const OVER_BUDGET = 'Switched off: the rule took too long for most of what was timed'

type NewRules = Applying & { overrides: RuleOverrides; rolled_back_to: number | null }

type Written =
  | { applied: RulesApplied; stored: { version: number; custom_rules: CustomRule[] } }
  | Extract<ApplyResult, { refused: unknown }>

async function writeVersion(
  tx: Database,
  owner: Owner,
  { base_version, note, by, overrides, rolled_back_to, ...rules }: NewRules,
  { clock, newId, audit }: OrderRulesDependencies,
): Promise<Written> {
  const [before] = await findActiveRules(tx, [owner])
  const active = before?.version ?? 0
  if (active !== base_version) return { refused: 'base_version', active }
  const changes = changesBetween(
    storedOrderParameters(before?.overrides ?? {}),
    storedOrderParameters(overrides),
  )
  const customBefore = before?.custom_rules ?? []
  const custom_rules = [...(rules.custom_rules ?? customBefore)]
  const custom_changes = customRuleChanges(customBefore, custom_rules)
  if (changes.length + custom_changes.length === 0) return { refused: 'unchanged', active }
  const now = clock.now()
  const version = base_version + 1
  const row = { ...owner, version, overrides, custom_rules, note, rolled_back_to }
  const written = { ...row, applied_at: now, applied_by: by }
  const isWritten = await insertRulesVersion(tx, written)
  // Another caller applied a version concurrently.
  if (!isWritten) return { refused: 'base_version', active: version }
  await audit(tx, owner.org_id, {
    id: newId(now),
    at: now,
    actor_user_id: isUuid(by) ? by : null,
    action: actionOf(by, rolled_back_to),
    target: `order rules, ${owner.mode}, version ${version}`,
    details: {
      mode: owner.mode,
      version,
      rolled_back_to,
      note,
      changes,
      ...(custom_changes.length > 0 && { custom_rules: custom_changes }),
    },
  })
  const stored = { version, custom_rules }
  return { applied: { version, changes, custom_changes }, stored }
}

function actionOf(by: string, rolled_back_to: number | null): string {
  if (by === 'budget') return 'rules.switched_off'
  return rolled_back_to === null ? 'rules.applied' : 'rules.rolled_back'
}

/** Lists every number that differs between two versions. */
export function changesBetween(before: NumbersBySection, after: NumbersBySection): RuleChange[] {
  return Object.keys(DEFAULT_ORDER_PARAMETERS).flatMap((section) =>
    Object.entries(after[section] ?? {}).flatMap(([name, value]) => {
      const was = before[section]?.[name] ?? value
      return was === value ? [] : [{ section, name, from: was, to: value }]
    }),
  )
}

const versionRecord = (
  { applied_at, ...version }: StoredVersion,
  email: string | undefined,
): RulesVersion => ({
  ...version,
  applied_by_email: email ?? null,
  applied_at: applied_at.toISOString(),
})
