/** Counts what the custom rules of an organization did to the newest orders, checks and cashier actions. */
import type { RawBuilder } from 'kysely'
import type { Owner } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import {
  type CustomRule,
  countMatches,
  RULE_TARGETS,
  type RuledSubjects,
  type RuleTarget,
} from '../../custom-rules/index.ts'
import { REVIEW_SCORE } from '../scoring/scoring.ts'
import { newestOrders } from './newest.store.ts'
import type { RuleMatches } from './schema.ts'

/** Number that is read of each kind; more would take long for a number that is shown next to a rule. */
const NEWEST_MAX = 5000

export async function readMatches(
  { db, ruled }: { db: Db; ruled: RuledSubjects },
  owner: Owner,
  rules: readonly CustomRule[],
): Promise<RuleMatches> {
  const targets = RULE_TARGETS.filter((target) =>
    rules.some(({ applies_to }) => applies_to === target),
  )
  const newestOf = (target: RuleTarget): RawBuilder<unknown> =>
    target === 'order' ? newestOrders(owner, NEWEST_MAX) : ruled[target].newest(owner, NEWEST_MAX)
  const found = await Promise.all(
    targets.map(async (applies_to) => {
      const { org_id } = owner
      const counting = { org_id, newest: newestOf(applies_to), review: applies_to }
      const counted = await countMatches(db, { ...counting, review_score: REVIEW_SCORE })
      return { applies_to, ...counted }
    }),
  )
  return {
    examined: found.map(({ applies_to, examined, since }) => ({
      applies_to,
      count: examined,
      since: since?.toISOString() ?? null,
    })),
    rules: found.flatMap((one) => one.rules),
  }
}
