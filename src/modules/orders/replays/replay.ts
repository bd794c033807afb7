/**
 * Scores history again with the active or drafted rules and compares the result with the original
 * scores. Nothing is written.
 */

import type { Owner } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { readStates, type StateId } from '../../../platform/states/index.ts'
import { type CustomRule, compileRules, type RuledSubjects } from '../../custom-rules/index.ts'
import { readHistory } from '../history.ts'
import { createMemoryScoring } from '../memory-scoring.ts'
import { DEFAULT_RULES, type ScoringRules, storedRules } from '../rules/active-rules.ts'
import { rulesOfOrders } from '../rules/parameters-of-order.ts'
import { findActiveRules } from '../rules/store.ts'
import type { OrderParameters } from '../scoring/parameters.ts'
import type { OrganizationState } from '../scoring/states.ts'
import { comparing, comparisonOf } from './compare-orders.ts'
import { countDecision, emptyReplay } from './replay-counts.ts'
import { replaySubjects } from './replay-subjects.ts'
import type { Replay } from './schema.ts'

export type ReplayQuery = {
  /** Organizations to replay, one after another. */
  owners: readonly Owner[]
  /** Only orders that arrived at or after this time and before `to` are compared. */
  from: Date
  to: Date
  /** Default to those of the active rules of each organization. */
  parameters?: OrderParameters | undefined
  custom_rules?: readonly CustomRule[] | undefined
  /**
   * Called and awaited every `progress_every` orders and decisions. An error that it throws ends
   * the replay.
   */
  onProgress?: (progress: ReplayProgress) => Promise<void> | void
  progress_every?: number
  /** Called between two orders or decisions; a returned promise is awaited. */
  pace?: () => Promise<void> | undefined
  /** Maximum number of states held in memory for one organization; unlimited by default. */
  states_max?: number
}

/**
 * `total` estimates the orders of the current organization; `until` is the arrival time of the last
 * order read.
 */
export type ReplayProgress = { orders: number; total: number; until: Date }

/** The replay would exceed `states_max`. */
export class HistoryTooLarge extends Error {}

const PROGRESS_EVERY = 10_000
/**
 * Maximum clock difference between nodes. Later entries cannot affect compared ones and are
 * skipped.
 */
const NODES_APART_MS = 60_000

export type ReplayDependencies = { db: Db; stateId: StateId; ruled: RuledSubjects }

export async function replay(deps: ReplayDependencies, query: ReplayQuery): Promise<Replay> {
  const counted = emptyReplay()
  const progress = progressOf(query)
  for (const owner of query.owners) {
    const { tried, active } = await rulesFor(deps.db, owner, query)
    await replayOrders(deps, query, { owner, tried, counted, progress })
    const rules = { tried: tried.custom, active: active.custom }
    await replaySubjects(deps, { ...owner, ...query }, rules, { counted, progress })
  }
  return counted
}

type Run = { owner: Owner; tried: ScoringRules; counted: Replay; progress: Progress }

async function replayOrders(
  { db, stateId }: ReplayDependencies,
  query: ReplayQuery,
  { owner, tried, counted, progress }: Run,
): Promise<void> {
  const states_max = query.states_max ?? Number.POSITIVE_INFINITY
  const rulesThen = await rulesOfOrders(db, owner)
  const compare = comparing(counted, (order) => rulesThen(order).parameters, tried.parameters)
  const scoring = createMemoryScoring({ stateId, rulesOf: () => tried })
  const known = await countOrders(db, stateId, owner)
  let before: number | undefined
  const dueBefore = query.to.getTime() + NODES_APART_MS
  for await (const entry of readHistory(db, owner)) {
    const { order, label, previous } = entry
    const scored = order.created_at.getTime() < dueBefore ? scoring.apply(entry) : undefined
    if (scoring.states.size > states_max) throw new HistoryTooLarge()
    const isCompared = order.created_at >= query.from && order.created_at < query.to
    if (label === undefined) {
      progress.orders += 1
      // The organization's count includes orders that retention has deleted.
      before ??= order.seq - progress.orders
      progress.until = order.created_at
      if (scored !== undefined && isCompared) compare(order, scored)
    } else if (isCompared) {
      const compared = comparisonOf(order, scoring.scoreOf(order))
      if (previous !== undefined) {
        countDecision(counted, compared, { decision: previous.decision, by: -1 })
      }
      countDecision(counted, compared, { decision: label.decision, by: 1 })
    }
    progress.total = Math.max(progress.orders, known - (before ?? 0))
    await progress.step(order.created_at)
  }
}

/** How far a replay has come. */
type Progress = {
  orders: number
  total: number
  until: Date | undefined
  /** Must be awaited after each entry. */
  step(at: Date): Promise<void>
}

function progressOf({ progress_every = PROGRESS_EVERY, onProgress, pace }: ReplayQuery): Progress {
  let entries = 0
  const progress: Progress = {
    orders: 0,
    total: 0,
    until: undefined,
    step: async (at) => {
      entries += 1
      if (entries % progress_every === 0) {
        const { orders, total, until = at } = progress
        await onProgress?.({ orders, total, until })
      }
      const rest = pace?.()
      if (rest) await rest
    },
  }
  return progress
}

async function rulesFor(
  db: Db,
  owner: Owner,
  { parameters, custom_rules }: ReplayQuery,
): Promise<{ tried: ScoringRules; active: ScoringRules }> {
  const [stored] = await findActiveRules(db, [owner])
  const active = stored === undefined ? DEFAULT_RULES : storedRules(stored)
  const tried = {
    parameters: parameters ?? active.parameters,
    custom: custom_rules === undefined ? active.custom : compileRules(custom_rules),
  }
  return { tried, active }
}

async function countOrders(db: Db, stateId: StateId, owner: Owner): Promise<number> {
  const id = stateId(owner, 'organization')
  const states = await readStates(db, [{ org_id: owner.org_id, id }], false)
  return (states.get(id)?.state as OrganizationState | undefined)?.orders ?? 0
}
