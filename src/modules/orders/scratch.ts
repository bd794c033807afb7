/**
 * Orders and the decisions about them, folded from the beginning over states that are kept in memory
 * only: what the service remembers, arrived at again. With other parameters, what it would remember.
 */
import type { ChangedState, State, StateId } from '../../platform/states/index.ts'
import type { Label } from '../reviews/index.ts'
import { applyDecision, applyOrder } from './apply.ts'
import type { HistoryEntry } from './history.ts'
import { orderKeys } from './keys.ts'
import { createScores } from './scores.ts'
import type { OrderParameters } from './scoring/parameters.ts'
import type { ScoredOrder } from './scoring/scoring.ts'
import type { WholeOrder } from './store.ts'

export type KeptState = { kind: string; value: State }

export type Scratch = {
  /** By the id under which the service keeps it. */
  states: ReadonlyMap<string, KeptState>
  /** Orders have to come in the order of their `seq`. */
  score(order: WholeOrder): ScoredOrder
  /** About an order that was scored here before. */
  decide(order: WholeOrder, label: Label, previous: Label | undefined): void
  /** Whichever it is. @returns undefined for a decision */
  apply(entry: HistoryEntry): ScoredOrder | undefined
  /** What it was scored with here; of one that was not, what it is stored with. */
  scoreOf(order: WholeOrder): number
}

export function createScratch({
  stateId,
  parametersOf,
}: {
  stateId: StateId
  /** The rules by which an order is scored here, and decisions about it go. */
  parametersOf: (order: WholeOrder) => OrderParameters
}): Scratch {
  const kept = new Map<string, KeptState>()
  const states = { get: (id: string) => kept.get(id)?.value }
  const scores = createScores()
  const keep = (changed: readonly ChangedState[]) => {
    for (const { id, kind, value } of changed) kept.set(id, { kind, value })
  }

  const scratch: Scratch = {
    states: kept,
    score: (order) => {
      const keys = orderKeys(stateId, order, order.request)
      const { scored, states: changed } = applyOrder(keys, order, states, parametersOf(order))
      keep(changed)
      scores.set(order.seq, scored.risk.risk_score)
      return scored
    },
    decide: (order, label, previous) => {
      const keys = orderKeys(stateId, order, order.request)
      const decided = { ...order, risk_score: scratch.scoreOf(order) }
      keep(applyDecision(keys, decided, label, previous, states, parametersOf(order)).states)
    },
    apply: ({ order, label, previous }) => {
      if (label === undefined) return scratch.score(order)
      scratch.decide(order, label, previous)
      return undefined
    },
    scoreOf: (order) => scores.get(order.seq) ?? order.risk.risk_score,
  }
  return scratch
}
