/**
 * Estimates the rate to expect of a cashier: that of the others in the same role at the same
 * location, with the other locations of the organization and a prior as long as those are few. The
 * spread between honest cashiers is estimated by the method of moments.
 */
import { clamp } from '../../behavior/index.ts'
import { INDEX, type Kind, leftOf, type Window } from './counts.ts'
import type { RateKind, RateRules } from './parameters.ts'
import type { Member, OrganizationCashiersState, Role, StoreCashiersState } from './states.ts'

/** Trials are sales, or all sensitive actions of a cashier without sales. */
export type Basis = 'sales' | 'actions'

export type Peers = {
  role: Role
  /** Key of the cashier, whose own counts are left out. */
  cashier: string
  /** Key of the location, which is left out of the organization. */
  location: string
  now_ms: number
  /** Time of the first event at the till or location, whichever is later. */
  since_ms: number
  store: StoreCashiersState | undefined
  organization: OrganizationCashiersState | undefined
}

/** The kind of action to compare, with all that the comparison depends on. */
export type Comparison = { kind: RateKind; basis: Basis; peers: Peers; rules: RateRules }

export type Expected = {
  /** Share of the trials, 0-1. */
  rate: number
  /** Pseudo-trials of the beta distribution around the rate. */
  strength: number
  peers: number
}

/** Families of kinds whose spread is estimated together, because some kinds are too rare alone. */
const FAMILY: Readonly<Record<RateKind, number>> = {
  void: 0,
  void_after_cash: 0,
  refund: 1,
  unmatched_round: 1,
  override: 2,
  discounted_sale: 2,
  drawer: 3,
  drawer_after_void: 3,
  pickup: 3,
}
const FAMILY_KINDS = ['void', 'refund', 'override', 'drawer'] as const
/** Limit of a squared deviation, so that one thief does not make all others look honest. */
const PEER_MAX_DEVIATION = 4
/** With fewer expected actions, chance and habit cannot be distinguished. */
const EXPECTED_MIN = 3

export function expectedRate(window: Window, comparison: Comparison): Expected {
  const { kind, basis, peers, rules } = comparison
  const organization = organizationRate(comparison)
  const others = othersOf(peers)
  // A shift is compared with the week of the others.
  const span = window === 'shift' ? 'week' : window
  let count = 0
  let trials = 0
  for (const member of others) {
    const { one } = leftOf(member.at, peers.now_ms, span)
    count += (member[span][INDEX[kind]] ?? 0) * one
    trials += trialsOf(member[span], kind, basis) * one
  }
  const borrowed = rules.prior_transactions
  const events = count + borrowed * organization.rate
  const rate = clamp(events / (trials + borrowed), RATE_MIN, RATE_MAX)
  const spread = spreadOf(others, rate, { kind, basis, rules, now_ms: peers.now_ms })
  const prior = organization.spread * rules.prior_spread_peers
  const between = clamp(
    (spread.sum + prior) / (spread.weight + rules.prior_spread_peers),
    rules.spread_min,
    1,
  )
  // The rate itself is an estimate from few events and cashiers, and partly from other locations.
  const borrowedShare = borrowed / (trials + borrowed)
  const relative =
    between +
    between / (others.length + 1) +
    rules.location_spread * borrowedShare * borrowedShare +
    1 / (events + organization.events)
  const { strength_min, strength_max } = rules
  const strength = clamp((1 - rate) / (rate * relative) - 1, strength_min, strength_max[window])
  return { rate, strength, peers: others.length }
}

/** Returns the other cashiers in the same role at the same location. */
export function othersOf({ store, cashier, role }: Peers): readonly Member[] {
  if (store === undefined) return []
  return store.members.filter((member) => member.role === role && member.id !== cashier)
}

/** Invented round refunds are compared with all refunds, whatever the basis. */
export function trialsOf(values: readonly number[], kind: Kind, basis: Basis): number {
  if (kind === 'unmatched_round') return values[INDEX.refund] ?? 0
  if (basis === 'sales') return (values[INDEX.sale] ?? 0) + (values[INDEX[kind]] ?? 0)
  return Math.max(sensitiveOf(values), values[INDEX[kind]] ?? 0)
}

/** Counts all actions through which money can be taken. */
export function sensitiveOf(values: readonly number[]): number {
  let sum = 0
  for (const kind of FAMILY_KINDS) sum += values[INDEX[kind]] ?? 0
  return sum
}

/**
 * Returns the sum of the squared weights of the sales divided by the sum of the weights: a decayed
 * count of n sales carries as much information as n / dilution undecayed ones.
 */
export function dilutionOf(values: readonly number[], left: number): number {
  const sales = (values[INDEX.sale] ?? 0) * left
  const squares = (values[INDEX.sale_squares] ?? 0) * left * left
  return sales > 0 ? clamp(squares / sales, DILUTION_MIN, 1) : 1
}

/** Returns the sums for a report: for each family of kinds, the deviation and its weight. */
export function spreadsOf(
  members: readonly Member[],
  totals: readonly number[],
  now_ms: number,
  rules: RateRules,
): number[] {
  return FAMILY_KINDS.flatMap((kind) => {
    const rate = clamp(
      (totals[INDEX[kind]] ?? 0) / Math.max(1, trialsOf(totals, kind, 'sales')),
      RATE_MIN,
      RATE_MAX,
    )
    const { sum, weight } = spreadOf(members, rate, { kind, basis: 'sales', rules, now_ms })
    return members.length > 1 ? [sum, weight] : [0, 0]
  })
}

const RATE_MIN = 0.0001
const RATE_MAX = 0.95
/** Decay alone reduces the ratio to 0.5 at the lowest; less is an artifact of rounding. */
const DILUTION_MIN = 0.4

function spreadOf(
  members: readonly Member[],
  rate: number,
  { kind, basis, rules, now_ms }: Omit<Comparison, 'peers'> & { now_ms: number },
): { sum: number; weight: number } {
  // The rate was estimated from the same members, so their deviations are too small.
  const bias = members.length / Math.max(1, members.length - 1)
  let sum = 0
  let weight = 0
  for (const { at, month } of members) {
    const { one } = leftOf(at, now_ms, 'month')
    const expected = trialsOf(month, kind, basis) * one * rate
    if (expected < EXPECTED_MIN) continue
    const chance = (dilutionOf(month, one) * (1 - rate)) / expected
    const deviation = ((month[INDEX[kind]] ?? 0) * one) / expected - 1
    const reliability = rules.prior_spread / (rules.prior_spread + chance)
    sum += reliability * (Math.min(deviation * deviation, PEER_MAX_DEVIATION) * bias - chance)
    weight += reliability
  }
  return { sum, weight }
}

function organizationRate({ kind, basis, peers, rules }: Comparison): {
  rate: number
  spread: number
  events: number
} {
  const { role, location, now_ms, organization } = peers
  const hasPrior = basis === 'sales' || kind === 'unmatched_round'
  const prior = hasPrior ? rules.prior[role][kind] : priorOfActions(kind, rules)
  let count = 0
  let trials = 0
  let sum = 0
  let weight = 0
  for (const report of organization?.stores ?? []) {
    if (report.role !== role || report.id === location) continue
    const { one } = leftOf(report.at, now_ms, 'month')
    count += (report.month[INDEX[kind]] ?? 0) * one
    trials += trialsOf(report.month, kind, basis) * one
    sum += (report.spread[FAMILY[kind] * 2] ?? 0) * one
    weight += (report.spread[FAMILY[kind] * 2 + 1] ?? 0) * one
  }
  const borrowed = rules.prior_transactions
  const spread =
    (sum + rules.prior_spread * rules.prior_spread_peers) / (weight + rules.prior_spread_peers)
  return {
    rate: (count + borrowed * prior) / (trials + borrowed),
    spread: clamp(spread, rules.spread_min, 1),
    events: count,
  }
}

/** Rarer kinds keep their proportion to the main kind of their family. */
function priorOfActions(kind: RateKind, rules: RateRules): number {
  const family = FAMILY_KINDS[FAMILY[kind]] ?? 'void'
  const { till } = rules.prior
  return rules.prior_of_actions * Math.min(1, till[kind] / till[family])
}
