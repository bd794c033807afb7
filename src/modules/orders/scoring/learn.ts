/**
 * Updates all states with a scored order. Counters always count; what is usual is learned only from
 * orders that are not held back.
 */
import {
  type AmountContext,
  doubtPlace,
  EMPTY_AMOUNTS,
  EMPTY_OUTCOMES,
  EMPTY_VELOCITY,
  isBackAgain,
  learnAmount,
  learnHour,
  learnPayment,
  learnPlace,
  learnSeen,
  learnSeenOutcome,
  type VelocityState,
} from '../../behavior/index.ts'
import { learnOrderScore, newProfile, type ProfileState } from '../../profiles/index.ts'
import type { RiskLevel } from '../../risk/index.ts'
import { learnDevice, learnIp, learnOwnDevices } from './device-signal.ts'
import type { OrderFacts } from './facts.ts'
import { learnAmounts, learnProfileSpending } from './learn-amounts.ts'
import { learnOrganization, NEW_ORGANIZATION } from './organization.ts'
import type { OrderParameters } from './parameters.ts'
import type { OrderStates, TerminalState } from './states.ts'
import { terminalOutcomes, withOutcomes } from './terminal-outcomes.ts'
import type { Velocities } from './velocity-signal.ts'

export type Learning = {
  facts: OrderFacts
  /** States before the order */
  states: OrderStates
  at_ms: number
  amount: AmountContext
  /** Standard deviations of the amount above the usual */
  z: number | undefined
  /** Standard deviations of the amount above the usual one of the organization */
  shared_z: number | undefined
  /** Whether the amount is unusual for the organization and for the profile. */
  waits: boolean
  /** Whether a new place or device is all that speaks against the order. */
  isOnlyNew: boolean
  /** Velocities including the order */
  velocities: Velocities
}

export type Learned = { next: OrderStates; previous_risk_level: RiskLevel | undefined }

export function learnOrder(
  learning: Learning,
  risk_score: number,
  now_ms: number,
  { history }: OrderParameters,
): Learned {
  const { facts, states, at_ms, velocities } = learning
  const teaches = risk_score < history.held_back_score
  const profile = learnProfile(learning, risk_score, teaches, now_ms)
  const previous = states.profile?.risk.level ?? 'low'
  return {
    next: {
      organization: learnOrganization(states.organization ?? NEW_ORGANIZATION, facts, at_ms, {
        teaches,
        last_ms: lastOrderOf(facts, states),
        z: learning.z,
        shared_z: learning.shared_z,
        who: learning.amount.who,
        isFlagged: risk_score >= FLAGGED_SCORE,
        tiny_rate: velocities.tiny_rate,
      }),
      profile,
      terminal: learnTerminal(learning, velocities.terminal, states.terminal, teaches),
      store: learnTerminal(learning, velocities.store, states.store, teaches),
      device:
        velocities.device &&
        learnDevice(states.device, facts, {
          at_ms,
          velocity: velocities.device,
          profile: states.profile,
          risk_score,
        }),
      ip:
        velocities.ip &&
        learnIp(states.ip, facts, { at_ms, velocity: velocities.ip, profile: states.profile }),
    },
    previous_risk_level:
      profile !== undefined && profile.risk.level !== previous ? previous : undefined,
  }
}

function lastOrderOf(facts: OrderFacts, states: OrderStates): number {
  const { profile, terminal, store, device, ip } = states
  const subject = facts.profile_id !== undefined ? profile : (terminal ?? store ?? device ?? ip)
  return subject?.velocity.at ?? 0
}

function learnProfile(
  learning: Learning,
  risk_score: number,
  teaches: boolean,
  now_ms: number,
): ProfileState | undefined {
  const { states, at_ms, velocities } = learning
  if (velocities.profile === undefined) return undefined
  const before = states.profile ?? newProfile('customer', now_ms)
  const habits = teaches
    ? habitsOf(before, velocities.profile, learning)
    : doubtsOf(before, learning)
  const waiting_amounts = teaches ? habits.waiting_amounts : before.waiting_amounts
  const spending = learnProfileSpending(before, learning)
  // Copying the members by a spread takes a tenth of the time of an order.
  return {
    v: 1,
    profile_type: before.profile_type,
    country_code: before.country_code,
    first_seen_at: before.first_seen_at,
    last_seen_at: Math.max(before.last_seen_at, at_ms),
    total_orders: before.total_orders + 1,
    devices: habits.devices ?? before.devices,
    velocity: velocities.profile,
    amounts: habits.amounts ?? before.amounts,
    places: habits.places ?? before.places,
    hours: habits.hours ?? before.hours,
    payments: habits.payments ?? before.payments,
    labels: learnSeen(before.labels, at_ms),
    risk: learnOrderScore(before.risk, risk_score, at_ms, now_ms),
    alerts: before.alerts,
    ...(waiting_amounts !== undefined && { waiting_amounts }),
    ...(spending !== undefined && { spending }),
  }
}

/** Orders that a person looks at (specification, "Risk"). */
const FLAGGED_SCORE = 50

type Habits = Pick<ProfileState, 'amounts' | 'hours' | 'places' | 'devices' | 'payments'> & {
  waiting_amounts: ProfileState['waiting_amounts'] | undefined
}

/** Returns the habits of the profile with the order included. */
function habitsOf(
  profile: ProfileState,
  velocity: VelocityState,
  { facts, at_ms, amount, waits }: Pick<Learning, 'facts' | 'at_ms' | 'amount' | 'waits'>,
): Habits {
  const { hours, places, devices, payments } = profile
  const vote = voteOf(velocity)
  const learned = learnAmounts(profile, { facts, at_ms, amount, waits, vote })
  return {
    amounts: learned.amounts,
    waiting_amounts: learned.waiting_amounts,
    hours: learnHour(hours, facts.local_hour, at_ms),
    places: learnPlace(places, facts, at_ms),
    devices: learnOwnDevices(devices, facts, at_ms),
    payments: learnPayment(payments, facts.payment_method, facts, at_ms),
  }
}

/**
 * A held-back order teaches nothing, except that a new place is believed when the profile returns
 * there on another day.
 */
function doubtsOf(
  { places, devices }: ProfileState,
  { facts, at_ms, isOnlyNew }: Learning,
): Partial<Habits> {
  if (!isOnlyNew) return {}
  if (!isBackAgain(places, facts, at_ms)) return { places: doubtPlace(places, facts, at_ms) }
  return {
    places: learnPlace(places, facts, at_ms),
    devices: learnOwnDevices(devices, facts, at_ms),
  }
}

/** Adds a held-back order to the habits once it was decided to be legitimate. */
export function learnHabits(
  profile: ProfileState,
  order: Pick<Learning, 'facts' | 'at_ms' | 'amount'>,
): ProfileState {
  const { waiting_amounts: _, ...rest } = profile
  const { waiting_amounts, ...habits } = habitsOf(profile, profile.velocity, {
    ...order,
    waits: false,
  })
  return { ...rest, ...habits, ...(waiting_amounts !== undefined && { waiting_amounts }) }
}

function learnTerminal(
  { facts, at_ms, amount }: Learning,
  velocity: VelocityState | undefined,
  state: TerminalState | undefined,
  teaches: boolean,
): TerminalState | undefined {
  if (velocity === undefined) return undefined
  const before = state ?? NEW_TERMINAL
  const outcomes = learnSeenOutcome(terminalOutcomes(before), at_ms)
  const counted = withOutcomes({ ...before, velocity }, outcomes)
  return teaches ? learnTerminalAmounts(counted, facts, amount) : counted
}

/** Only anonymous orders are compared with their terminal, so only those teach it. */
export function learnTerminalAmounts(
  terminal: TerminalState,
  facts: OrderFacts,
  { prior }: AmountContext,
): TerminalState {
  if (facts.profile_id !== undefined) return terminal
  const vote = voteOf(terminal.velocity)
  return { ...terminal, amounts: learnAmount(terminal.amounts, facts, prior, { weight: vote }) }
}

/** The orders of one hour share a vote, so a burst does not shift what is usual. */
const voteOf = ({ counts }: VelocityState): number => 1 / Math.max(1, counts[1])

export const NEW_TERMINAL: TerminalState = {
  v: 1,
  velocity: EMPTY_VELOCITY,
  amounts: EMPTY_AMOUNTS,
  outcomes: EMPTY_OUTCOMES,
  alerts: {},
}
