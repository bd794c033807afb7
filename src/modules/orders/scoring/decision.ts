/**
 * What a review decision teaches: labels of everybody behind the order and, when an order that was
 * held back turns out to be legitimate, what it says of the ordinary. Pure.
 */
import {
  eventTime,
  forgetDoubtfulPlace,
  forgetLabel,
  forgetOdds,
  type LabelsState,
  learnDecided,
  learnLabel,
  learnOdds,
} from '../../behaviour/index.ts'
import { forgetRiskDecision, learnRiskDecision, type ProfileState } from '../../profiles/index.ts'
import { amountContext, assessOrderAmount } from './amount-signal.ts'
import type { OrderFacts } from './facts.ts'
import { learnHabits, learnTill } from './learn.ts'
import { learnLate } from './organization.ts'
import type { OrderParameters } from './parameters.ts'
import type { OrderStates, OrganizationState, TerminalState } from './states.ts'

export type Decision = 'confirmed_fraud' | 'legitimate'

export type DecidedOrder = { facts: OrderFacts; risk_score: number; scored_at_ms: number }
export type EarlierDecision = { decision: Decision; decided_at_ms: number }

/**
 * @param previous a decision may be changed; what it said is taken back first. What was learnt as
 *   ordinary stays learnt: running moments cannot be unlearnt, and clipping bounds the harm
 * @returns the same states when nothing changed; a state that is undefined stays so
 */
export function learnDecision(
  order: DecidedOrder,
  decision: Decision,
  previous: EarlierDecision | undefined,
  states: OrderStates,
  now_ms: number,
  parameters: OrderParameters,
): OrderStates {
  if (previous?.decision === decision) return states
  const blame = blameOf(
    order.facts,
    states,
    eventTime(order.facts.ordered_at_ms, now_ms),
    parameters,
  )
  const labelled = <State extends { readonly labels: LabelsState }>(
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
  const tampered = (till: TerminalState | undefined): TerminalState | undefined => {
    if (till === undefined) return undefined
    const cleared = previous
      ? forgetOdds(till.odds, previous.decision, previous.decided_at_ms, blame.terminal)
      : till.odds
    const odds = learnOdds(cleared, decision, now_ms, blame.terminal)
    return odds === till.odds || odds === undefined ? till : { ...till, odds }
  }
  const profile = labelled(states.profile, blame.profile)
  const next: OrderStates = {
    organization:
      states.organization && withDecision(states.organization, decision, previous, now_ms),
    profile: profile && withDecidedRisk(profile, order, decision, previous, now_ms),
    terminal: tampered(labelled(states.terminal, blame.terminal)),
    store: tampered(labelled(states.store, blame.terminal)),
    device: labelled(states.device, blame.device),
    ip: states.ip,
  }
  const wasHeldBack = order.risk_score >= parameters.history.held_back_score
  return decision === 'legitimate' && wasHeldBack ? learnHeldBack(order, next) : next
}

type Blame = { profile: number; terminal: number; device: number }

/** What a terminal can be blamed for, somebody else's amount is not; a card used there may be. */
const CARD_BLAME_MIN = 0.5

/**
 * Who is behind a fraud: an amount that the profile never spends points at the card, an ordinary one
 * at the terminal where it was used.
 */
function blameOf(
  facts: OrderFacts,
  states: OrderStates,
  at_ms: number,
  parameters: OrderParameters,
): Blame {
  if (facts.profile_id === undefined) return { profile: 1, terminal: 1, device: 1 }
  const { unusual } = assessOrderAmount(facts, amountContext(facts, states, at_ms), parameters)
  const hasTerminal = facts.edge_device_id !== undefined
  const profile = hasTerminal ? Math.max(CARD_BLAME_MIN, unusual) : 1
  return { profile, terminal: 1 - unusual, device: 1 }
}

/** Every decision is counted whole: it tells how many orders get one. */
function withDecision(
  organization: OrganizationState,
  decision: Decision,
  previous: EarlierDecision | undefined,
  now_ms: number,
): OrganizationState {
  const { labels } = organization
  const cleared = previous ? forgetLabel(labels, previous.decision, previous.decided_at_ms) : labels
  return { ...organization, labels: learnDecided(cleared, decision, now_ms) }
}

function withDecidedRisk(
  profile: ProfileState,
  { facts, risk_score, scored_at_ms }: DecidedOrder,
  decision: Decision,
  previous: EarlierDecision | undefined,
  now_ms: number,
): ProfileState {
  const scored = { risk_score, at_ms: eventTime(facts.ordered_at_ms, scored_at_ms) }
  const cleared = previous
    ? forgetRiskDecision(profile.risk, scored, previous, now_ms)
    : profile.risk
  const risk = learnRiskDecision(cleared, scored, decision, now_ms)
  if (decision === 'legitimate') return { ...profile, risk }
  return { ...profile, risk, places: forgetDoubtfulPlace(profile.places) }
}

function learnHeldBack({ facts, scored_at_ms }: DecidedOrder, states: OrderStates): OrderStates {
  const at_ms = eventTime(facts.ordered_at_ms, scored_at_ms)
  const amount = amountContext(facts, states, at_ms)
  const taught = (till: TerminalState | undefined): TerminalState | undefined =>
    till && learnTill(till, facts, amount)
  return {
    ...states,
    organization: states.organization && learnLate(states.organization, facts, at_ms),
    profile: states.profile && learnHabits(states.profile, { facts, at_ms, amount }),
    terminal: taught(states.terminal),
    store: taught(states.store),
  }
}
