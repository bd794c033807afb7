/**
 * Learns from review decisions: labels every state behind the order, and adds a held-back order
 * that proves legitimate to what is usual. Pure.
 */
import {
  assessAmount,
  eventTime,
  forgetDoubtfulPlace,
  forgetLabel,
  forgetOutcome,
  type LabelsState,
  learnDecided,
  learnLabel,
  learnOutcome,
} from '../../behavior/index.ts'
import { forgetRiskDecision, learnRiskDecision, type ProfileState } from '../../profiles/index.ts'
import { amountContext } from './amount-signal.ts'
import { decideDevice } from './device-signal.ts'
import type { OrderFacts } from './facts.ts'
import { learnHabits, learnTerminalAmounts } from './learn.ts'
import { acceptLevel, decideAmounts } from './learn-amounts.ts'
import { learnLate } from './organization.ts'
import type { OrderParameters } from './parameters.ts'
import type { OrderStates, OrganizationState, TerminalState } from './states.ts'
import { terminalOutcomes, withOutcomes } from './terminal-outcomes.ts'

export type Decision = 'confirmed_fraud' | 'legitimate'

export type DecidedOrder = { facts: OrderFacts; risk_score: number; scored_at_ms: number }
export type EarlierDecision = { decision: Decision; decided_at_ms: number }

export type NewDecision = {
  decision: Decision
  /** The decision that this one replaces. */
  previous?: EarlierDecision | undefined
  now_ms: number
}

/**
 * Learns a decision and takes back the labels of the one that it replaces. What was learned as
 * usual stays, because running moments cannot be unlearned and clipping bounds the harm.
 *
 * @returns the same states when nothing changes; undefined states stay undefined
 */
export function learnDecision(
  order: DecidedOrder,
  decided: NewDecision,
  states: OrderStates,
  parameters: OrderParameters,
): OrderStates {
  const { decision, previous, now_ms } = decided
  if (previous?.decision === decision) return states
  const blame = blameOf(
    order.facts,
    states,
    eventTime(order.facts.ordered_at_ms, now_ms),
    parameters,
  )
  const withLabel = <State extends { readonly labels: LabelsState }>(
    state: State | undefined,
    share: number,
  ): State | undefined => {
    if (state === undefined) return undefined
    const { labels } = state
    const cleared = previous
      ? forgetLabel(labels, previous.decision, previous.decided_at_ms, share)
      : labels
    return { ...state, labels: learnLabel(cleared, decision, now_ms, share) }
  }
  const withOutcome = (terminal: TerminalState | undefined): TerminalState | undefined => {
    if (terminal === undefined) return undefined
    const outcomes = terminalOutcomes(terminal)
    const cleared = previous
      ? forgetOutcome(outcomes, previous.decision, previous.decided_at_ms, blame.terminal)
      : outcomes
    return withOutcomes(terminal, learnOutcome(cleared, decision, now_ms, blame.terminal))
  }
  const profile = withLabel(states.profile, blame.profile)
  const device = withLabel(states.device, blame.device)
  const next: OrderStates = {
    organization: states.organization && withDecision(states.organization, decided),
    profile: profile && withDecidedRisk(profile, order, decided),
    terminal: withOutcome(states.terminal),
    store: withOutcome(states.store),
    device: device && decideDevice(device, order.facts.profile_id),
    ip: states.ip,
  }
  const wasHeldBack = order.risk_score >= parameters.history.held_back_score
  if (decision === 'legitimate' && wasHeldBack) {
    return withAcceptedLevel(order, learnHeldBack(order, next, parameters))
  }
  return withAcceptedLevel(order, withDecidedAmount(order, decision, next, parameters), decision)
}

/** An order in review that proves legitimate shows that the profile spends more now. */
function withAcceptedLevel(
  { facts, risk_score }: DecidedOrder,
  states: OrderStates,
  decision: Decision = 'legitimate',
): OrderStates {
  const { profile } = states
  if (profile === undefined || decision !== 'legitimate' || risk_score < REVIEWED_SCORE)
    return states
  return { ...states, profile: acceptLevel(profile, facts.currency) }
}

/** Orders that are flagged for review (specification, "Risk"). */
const REVIEWED_SCORE = 50

/** Learns or forgets an amount that waited for a decision. */
function withDecidedAmount(
  { facts, scored_at_ms }: DecidedOrder,
  decision: Decision,
  states: OrderStates,
  { amounts }: OrderParameters,
): OrderStates {
  const { profile } = states
  if (profile?.waiting_amounts === undefined) return states
  const at_ms = eventTime(facts.ordered_at_ms, scored_at_ms)
  const amount = amountContext(facts, states, at_ms, amounts)
  const isLegitimate = decision === 'legitimate'
  return { ...states, profile: decideAmounts(profile, { facts, at_ms, amount }, isLegitimate) }
}

type Blame = { profile: number; terminal: number; device: number }

/**
 * Least blame that the profile carries for a fraud at a terminal: an ordinary amount points at the
 * terminal, but the card can still be at fault.
 */
const CARD_BLAME_MIN = 0.5

/**
 * Divides the blame for a fraud: an amount that is unusual for the profile points at the card, an
 * ordinary one at the terminal where it was used.
 */
function blameOf(
  facts: OrderFacts,
  states: OrderStates,
  at_ms: number,
  parameters: OrderParameters,
): Blame {
  if (facts.profile_id === undefined) return { profile: 1, terminal: 1, device: 1 }
  const amount = amountContext(facts, states, at_ms, parameters.amounts)
  const { unusual } = assessAmount(amount, facts.amount_cents, parameters.amounts)
  const hasTerminal = facts.edge_device_id !== undefined
  const profile = hasTerminal ? Math.max(CARD_BLAME_MIN, unusual) : 1
  return { profile, terminal: 1 - unusual, device: 1 }
}

/** Counts every decision in full, because the count measures which share of orders gets decided. */
function withDecision(
  organization: OrganizationState,
  { decision, previous, now_ms }: NewDecision,
): OrganizationState {
  const { labels } = organization
  const cleared = previous ? forgetLabel(labels, previous.decision, previous.decided_at_ms) : labels
  return { ...organization, labels: learnDecided(cleared, decision, now_ms) }
}

function withDecidedRisk(
  profile: ProfileState,
  { facts, risk_score, scored_at_ms }: DecidedOrder,
  { decision, previous, now_ms }: NewDecision,
): ProfileState {
  const scored = { risk_score, at_ms: eventTime(facts.ordered_at_ms, scored_at_ms) }
  const cleared = previous
    ? forgetRiskDecision(profile.risk, scored, previous, now_ms)
    : profile.risk
  const risk = learnRiskDecision(cleared, scored, decision, now_ms)
  if (decision === 'legitimate') return { ...profile, risk }
  return { ...profile, risk, places: forgetDoubtfulPlace(profile.places) }
}

function learnHeldBack(
  { facts, scored_at_ms }: DecidedOrder,
  states: OrderStates,
  parameters: OrderParameters,
): OrderStates {
  const at_ms = eventTime(facts.ordered_at_ms, scored_at_ms)
  const amount = amountContext(facts, states, at_ms, parameters.amounts)
  const withOrder = (terminal: TerminalState | undefined): TerminalState | undefined =>
    terminal && learnTerminalAmounts(terminal, facts, amount)
  return {
    ...states,
    organization: states.organization && learnLate(states.organization, facts, at_ms),
    profile: states.profile && learnHabits(states.profile, { facts, at_ms, amount }),
    terminal: withOrder(states.terminal),
    store: withOrder(states.store),
  }
}
