/** Kinds of subjects that are scored again from what is stored, as the rules lab sees them. */
import type { RawBuilder } from 'kysely'
import { lowestIdAt } from '../../platform/ids.ts'
import type { Owner } from '../../platform/owner.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { CompiledRules } from './compiled.ts'
import type { RuleTarget } from './facts.ts'

/** An amount in minor units of its currency, an ISO 4217 code. */
export type Amount = { cents: number; currency: string }

/** A check or cashier action as it was scored, and as drafted rules score it. */
export type Rescored = {
  id: string
  /** Id by which the organization knows it; empty without one. */
  external_id: string
  created_at: Date
  score_then: number
  score_now: number
  was_flagged: boolean
  is_flagged: boolean
  /** Undefined if there is none, or if its currency is unknown. */
  amount: Amount | undefined
  /** What reviewers have decided. */
  decision: 'confirmed_fraud' | 'legitimate' | null
  /** Why it is flagged now, or why it was. */
  reason: () => string
}

/** The time of arrival: `from` is part of it, `to` is not. */
export type RescoreQuery = Owner & { from: Date; to: Date }

export type RuledSubject = {
  /** Scores again with the stored signals and facts, in the order of arrival. Nothing is written. */
  rescore(db: Db, query: RescoreQuery, custom: CompiledRules): AsyncGenerator<Rescored>
  /** Selects id, created_at, adjustments and shadows of the newest ones. */
  newest(owner: Owner, limit: number): RawBuilder<unknown>
}

/** Orders are not among these: their states are built up again from the first order. */
export type StoredTarget = Exclude<RuleTarget, 'order'>
export type RuledSubjects = Readonly<Record<StoredTarget, RuledSubject>>

/** Findings that stand for what a rule or a list has done to a signal. */
export const ADJUSTED_FINDINGS: ReadonlySet<string | null> = new Set([
  'custom_rule',
  'block_list',
  'watch_list',
])

/** Small pages, so that other work of the process is not blocked for long. */
const PAGE_ROWS = 200

/** Ids begin with the time; clocks of nodes can differ by this much. */
const SLACK_MS = 600_000

/** Bounds of the ids of a page, both exclusive. */
export type IdRange = { after: string; before: string; limit: number }

/**
 * Reads what arrived within the times of a query, in the order of ids.
 *
 * @param read returns the rows within the ids, in their order, that arrived within the times
 */
export async function* rowsOfArrivals<R extends { id: string }>(
  { from, to }: Pick<RescoreQuery, 'from' | 'to'>,
  read: (range: IdRange) => Promise<readonly R[]>,
): AsyncGenerator<R> {
  const before = lowestIdAt(to.getTime() + SLACK_MS)
  let after = lowestIdAt(from.getTime() - SLACK_MS)
  for (;;) {
    const page = await read({ after, before, limit: PAGE_ROWS })
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE_ROWS) return
    after = last.id
  }
}
