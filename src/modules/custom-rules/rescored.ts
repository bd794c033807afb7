/** Kinds of subjects that are scored again from what is stored, as the rules lab sees them. */
import type { RawBuilder } from 'kysely'
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

/** @param read returns the rows that follow an id, in the order of their ids */
export async function* rowsOfPages<R extends { id: string }>(
  firstId: string,
  read: (afterId: string, limit: number) => Promise<readonly R[]>,
): AsyncGenerator<R> {
  let after = firstId
  for (;;) {
    const page = await read(after, PAGE_ROWS)
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE_ROWS) return
    after = last.id
  }
}
