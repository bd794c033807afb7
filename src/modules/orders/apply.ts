/**
 * What an order, and a decision about one, make of the states: the part of their steps that a fold
 * of stored orders does again, with the same bits.
 */
import type { ChangedState, States } from '../../platform/states/index.ts'
import type { Label } from '../reviews/index.ts'
import { factsOf } from './facts.ts'
import type { OrderKeys } from './keys.ts'
import { learnSale } from './sale.ts'
import { learnDecision } from './scoring/decision.ts'
import type { OrderParameters } from './scoring/parameters.ts'
import { type ScoredOrder, scoreOrder } from './scoring/scoring.ts'
import type { OrderStates } from './scoring/states.ts'
import { changedStates, statesAt } from './state-map.ts'
import type { WholeOrder } from './store.ts'

/** `created_at` is when it was scored. */
export type ReceivedOrder = Pick<WholeOrder, 'request' | 'context' | 'ordered_at' | 'created_at'>

export type AppliedOrder = {
  before: OrderStates
  scored: ScoredOrder
  /** Those that changed, to be written. */
  states: ChangedState[]
}

export function applyOrder(
  keys: OrderKeys,
  { request, context, ordered_at, created_at }: ReceivedOrder,
  states: States,
  parameters: OrderParameters,
): AppliedOrder {
  const before = statesAt(keys, states)
  const facts = factsOf(request, context, keys.profile, ordered_at)
  const scored = scoreOrder(facts, before, created_at.getTime(), parameters)
  const changed = changedStates(keys, before, scored.next, created_at)
  return {
    before,
    scored,
    states: [...changed, ...learnSale(keys.sale, facts, states, created_at)],
  }
}

export type AppliedDecision = {
  before: OrderStates
  next: OrderStates
  /** Those that changed, to be written. */
  states: ChangedState[]
}

/**
 * @param order with the score that it got
 * @param previous the decision that is changed
 */
export function applyDecision(
  keys: OrderKeys,
  order: ReceivedOrder & { risk_score: number },
  { decision, decided_at }: Label,
  previous: Label | undefined,
  states: States,
  parameters: OrderParameters,
): AppliedDecision {
  const { request, context, ordered_at, created_at, risk_score } = order
  const before = statesAt(keys, states)
  const facts = factsOf(request, context, keys.profile, ordered_at)
  const next = learnDecision(
    { facts, risk_score, scored_at_ms: created_at.getTime() },
    decision,
    previous && { decision: previous.decision, decided_at_ms: previous.decided_at.getTime() },
    before,
    decided_at.getTime(),
    parameters,
  )
  return { before, next, states: changedStates(keys, before, next, decided_at) }
}
