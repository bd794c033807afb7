/**
 * Scores a history of orders and decisions from its beginning, with states that exist in memory
 * only. With the original parameters it arrives at the states of the service.
 */
import type { ChangedState, State, StateId } from '../../platform/states/index.ts'
import type { Label } from '../reviews/index.ts'
import { applyDecision, applyOrder } from './apply.ts'
import type { HistoryEntry } from './history.ts'
import { orderKeys } from './keys.ts'
import type { ScoringRules } from './rules/active-rules.ts'
import { createScores } from './scores.ts'
import type { ScoredOrder } from './scoring/scoring.ts'
import type { WholeOrder } from './store.ts'

export type MemoryState = { kind: string; value: State }

export type MemoryScoring = {
  /** Keyed by the state id of the service. */
  states: ReadonlyMap<string, MemoryState>
  /** Orders must be passed by ascending `seq`. */
  score(order: WholeOrder): ScoredOrder
  /** Learns a decision about an order that was scored before. */
  decide(order: WholeOrder, label: Label, previous: Label | undefined): void
  /** Scores or decides, depending on the entry. @returns undefined for a decision */
  apply(entry: HistoryEntry): ScoredOrder | undefined
  /**
   * Returns the score from this run, or the stored score of an order that this run did not score.
   */
  scoreOf(order: WholeOrder): number
}

export function createMemoryScoring({
  stateId,
  rulesOf,
}: {
  stateId: StateId
  /** Rules that apply to an order and to the decisions about it. */
  rulesOf: (order: WholeOrder) => ScoringRules
}): MemoryScoring {
  const stored = new Map<string, MemoryState>()
  const states = { get: (id: string) => stored.get(id)?.value }
  const scores = createScores()
  const store = (changed: readonly ChangedState[]) => {
    for (const { id, kind, value } of changed) stored.set(id, { kind, value })
  }

  const scoring: MemoryScoring = {
    states: stored,
    score: (order) => {
      const keys = orderKeys(stateId, order, order.request)
      const { scored, states: changed } = applyOrder(keys, order, states, rulesOf(order))
      store(changed)
      scores.set(order.seq, scored.risk.risk_score)
      return scored
    },
    decide: (order, label, previous) => {
      const keys = orderKeys(stateId, order, order.request)
      const scored = { ...order, risk_score: scoring.scoreOf(order) }
      const { parameters } = rulesOf(order)
      const decision = { keys, order: scored, label, previous, states, parameters }
      store(applyDecision(decision).states)
    },
    apply: ({ order, label, previous }) => {
      if (label === undefined) return scoring.score(order)
      scoring.decide(order, label, previous)
      return undefined
    },
    scoreOf: (order) => scores.get(order.seq) ?? order.risk.risk_score,
  }
  return scoring
}
