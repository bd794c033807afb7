/**
 * Replays checks and cashier actions: each is scored again with the signals and facts that are stored with
 * it, so there is no warm-up. Only those of the compared time are read.
 */
import type { Db } from '../../../platform/postgres/db.ts'
import type {
  CompiledRules,
  RescoreQuery,
  RuledSubjects,
  StoredTarget,
} from '../../custom-rules/index.ts'
import { countCompared, countDecision, emptySubject } from './replay-counts.ts'
import type { Replay } from './schema.ts'

type Run = {
  counted: Replay
  /** Must be awaited after each entry. */
  progress: { step(at: Date): Promise<void> }
}

/** Members of the result by what the rules apply to. */
const MEMBERS = { check: 'checks', cashier_action: 'cashier_actions' } as const
const TARGETS = Object.keys(MEMBERS) as StoredTarget[]

export async function replaySubjects(
  { db, ruled }: { db: Db; ruled: RuledSubjects },
  query: RescoreQuery,
  { tried, active }: { tried: CompiledRules; active: CompiledRules },
  { counted, progress }: Run,
): Promise<void> {
  for (const target of TARGETS) {
    // Without any rule for them, all would keep their scores.
    if (tried.of(target).length + active.of(target).length === 0) continue
    const sums = (counted[MEMBERS[target]] ??= emptySubject())
    for await (const one of ruled[target].rescore(db, query, tried)) {
      const { id, external_id, score_then, score_now, decision, reason } = one
      sums.compared += 1
      countCompared(sums, one, () => ({
        id,
        external_id,
        score_then,
        score_now,
        reason: reason(),
      }))
      if (decision !== null) countDecision(sums, one, { decision, by: 1 })
      await progress.step(one.created_at)
    }
  }
}
