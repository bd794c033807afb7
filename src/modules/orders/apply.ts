/**
 * Pure part of the order and decision steps. Replays run the same code and get bit-identical
 * states.
 */
import type { ChangedState, States } from '../../platform/states/index.ts'
import type { Label } from '../reviews/index.ts'
import { factsOf } from './facts.ts'
import type { OrderKeys } from './keys.ts'
import type { ScoringRules } from './rules/active-rules.ts'
import { learnSale } from './sale.ts'
import { learnDecision } from './scoring/decision.ts'
import type { OrderParameters } from './scoring/parameters.ts'
import { type ScoredOrder, scoreOrder } from './scoring/scoring.ts'
import type { OrderStates } from './scoring/states.ts'
import { changedStates, statesAt } from './state-map.ts'
import type { WholeOrder } from './store.ts'

/** `created_at` is the time of scoring. */
export type ReceivedOrder = Pick<WholeOrder, 'request' | 'context' | 'ordered_at' | 'created_at'>

export type AppliedOrder = {
  before: OrderStates
  scored: ScoredOrder
  /** Changed states, to be written. */
  states: ChangedState[]
}

export function applyOrder(
  keys: OrderKeys,
  { request, context, ordered_at, created_at }: ReceivedOrder,
  states: States,
  { parameters, custom }: ScoringRules,
): AppliedOrder {
  const before = statesAt(keys, states)
  const facts = factsOf(request, context, keys.profile, ordered_at)
  const scored = scoreOrder(facts, before, created_at.getTime(), parameters, custom)
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
  /** Changed states, to be written. */
  states: ChangedState[]
}

export function applyDecision({
  keys,
  order,
  label: { decision, decided_at },
  previous,
  states,
  parameters,
}: {
  keys: OrderKeys
  order: ReceivedOrder & { risk_score: number }
  label: Label
  /** The decision that this one replaces. */
  previous: Label | undefined
  states: States
  parameters: OrderParameters
}): AppliedDecision {
  const { request, context, ordered_at, created_at, risk_score } = order
  const before = statesAt(keys, states)
  const facts = factsOf(request, context, keys.profile, ordered_at)
  const next = learnDecision(
    { facts, risk_score, scored_at_ms: created_at.getTime() },
    {
      decision,
      previous: previous && {
        decision: previous.decision,
        decided_at_ms: previous.decided_at.getTime(),
      },
      now_ms: decided_at.getTime(),
    },
    before,
    parameters,
  )
  return { before, next, states: changedStates(keys, before, next, decided_at) }
}
