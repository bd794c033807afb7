/**
 * What rate is to be expected of a cashier: that of the others in the same role at the same
 * location, leaning on the other locations of the organisation and on a prior while those are few;
 * and how far honest cashiers differ from one another, estimated by the method of moments.
 */
import { clamp } from '../../behaviour/index.ts'
import { INDEX, type Kind, leftOf, type Window } from './counts.ts'
import type { RateKind, RateRules } from './parameters.ts'
import type { Member, OrganizationCashiersState, Role, StoreCashiersState } from './states.ts'

/** What counts as a trial: a sale, or any sensitive action where no sales are sent; for invented refunds any refund. */
export type Basis = 'sales' | 'actions'

export type Peers = {
  role: Role
  /** Key of the cashier, who is left out. */
  cashier: string
  /** Key of the location, which the organisation leaves out. */
  location: string
  now_ms: number
  /** When the till or the location was first heard of. */
  since_ms: number
  store: StoreCashiersState | undefined
  organization: OrganizationCashiersState | undefined
}

export type Expected = {
  /** Share among the trials, 0-1 */
  rate: number
  /** Pseudo-trials of the Beta distribution around it. */
  strength: number
  peers: number
}

/** Kinds whose spread is estimated together, because the rarer ones tell too little. */
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
/** Squared; one thief among them must not make everybody else look honest. */
const PEER_MAX_DEVIATION = 4
/** Fewer expected actions tell chance from habit too badly. */
const EXPECTED_MIN = 3

export function expectedRate(
  kind: RateKind,
  window: Window,
  basis: Basis,
  peers: Peers,
  rules: RateRules,
): Expected {
  const organization = organizationRate(kind, basis, peers, rules)
  const others = othersOf(peers)
  // Within a shift one is compared with the week of the others.
  const span = window === 'shift' ? 'week' : window
  let count = 0
  let trials = 0
  for (const member of others) {
    const { one } = leftOf(member.at, peers.now_ms, span)
    count += (member[span][INDEX[kind]] ?? 0) * one
    trials += trialsOf(member[span], kind, basis) * one
  }
  const lent = rules.prior_transactions
  const rate = clamp((count + lent * organization.rate) / (trials + lent), RATE_MIN, RATE_MAX)
  const spread = spreadOf(others, kind, basis, rate, peers.now_ms, rules)
  const prior = organization.spread * rules.prior_spread_peers
  const between = clamp(
    (spread.sum + prior) / (spread.weight + rules.prior_spread_peers),
    rules.spread_min,
    1,
  )
  // The rate itself is an estimate: of few events, of few cashiers, partly of other locations.
  const borrowed = lent / (trials + lent)
  const relative =
    between +
    between / (others.length + 1) +
    rules.location_spread * borrowed * borrowed +
    1 / (count + lent * organization.rate + organization.events)
  const { strength_min, strength_max } = rules
  const strength = clamp((1 - rate) / (rate * relative) - 1, strength_min, strength_max[window])
  return { rate, strength, peers: others.length }
}

/** The others in the same role at the same location. */
export function othersOf({ store, cashier, role }: Peers): readonly Member[] {
  if (store === undefined) return []
  return store.members.filter((member) => member.role === role && member.id !== cashier)
}

export function trialsOf(values: readonly number[], kind: Kind, basis: Basis): number {
  if (kind === 'unmatched_round') return values[INDEX.refund] ?? 0
  if (basis === 'sales') return (values[INDEX.sale] ?? 0) + (values[INDEX[kind]] ?? 0)
  return Math.max(sensitiveOf(values), values[INDEX[kind]] ?? 0)
}

/** All actions through which money can be taken. */
export function sensitiveOf(values: readonly number[]): number {
  let sum = 0
  for (const kind of FAMILY_KINDS) sum += values[INDEX[kind]] ?? 0
  return sum
}

/** A decayed count of n sales is worth n / dilution undecayed ones: sum of weights by their squares. */
export function dilutionOf(values: readonly number[], left: number): number {
  const sales = (values[INDEX.sale] ?? 0) * left
  const squares = (values[INDEX.sale_squares] ?? 0) * left * left
  return sales > 0 ? clamp(squares / sales, DILUTION_MIN, 1) : 1
}

/** Sums for a report: per family of kinds, what its cashiers deviate and how much that tells. */
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
    const { sum, weight } = spreadOf(members, kind, 'sales', rate, now_ms, rules)
    return members.length > 1 ? [sum, weight] : [0, 0]
  })
}

const RATE_MIN = 0.0001
const RATE_MAX = 0.95
/** Decay alone can halve the worth of a count; less is an artefact of rounding. */
const DILUTION_MIN = 0.4

function spreadOf(
  members: readonly Member[],
  kind: RateKind,
  basis: Basis,
  rate: number,
  now_ms: number,
  rules: RateRules,
): { sum: number; weight: number } {
  // The rate was taken from these very members, which brings all of them nearer to it.
  const bias = members.length / Math.max(1, members.length - 1)
  let sum = 0
  let weight = 0
  for (const { at, month } of members) {
    const { one } = leftOf(at, now_ms, 'month')
    const expected = trialsOf(month, kind, basis) * one * rate
    if (expected < EXPECTED_MIN) continue
    const chance = (dilutionOf(month, one) * (1 - rate)) / expected
    const deviation = ((month[INDEX[kind]] ?? 0) * one) / expected - 1
    const told = rules.prior_spread / (rules.prior_spread + chance)
    sum += told * (Math.min(deviation * deviation, PEER_MAX_DEVIATION) * bias - chance)
    weight += told
  }
  return { sum, weight }
}

function organizationRate(
  kind: RateKind,
  basis: Basis,
  { role, location, now_ms, organization }: Peers,
  rules: RateRules,
): { rate: number; spread: number; events: number } {
  const isOfSales = basis === 'sales' || kind === 'unmatched_round'
  const prior = isOfSales ? rules.prior[role][kind] : priorOfActions(kind, rules)
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
  const lent = rules.prior_transactions
  const spread =
    (sum + rules.prior_spread * rules.prior_spread_peers) / (weight + rules.prior_spread_peers)
  return {
    rate: (count + lent * prior) / (trials + lent),
    spread: clamp(spread, rules.spread_min, 1),
    events: count,
  }
}

/** Rarer kinds keep their proportion to the one that they belong to. */
function priorOfActions(kind: RateKind, rules: RateRules): number {
  const family = FAMILY_KINDS[FAMILY[kind]] ?? 'void'
  const { till } = rules.prior
  return rules.prior_of_actions * Math.min(1, till[kind] / till[family])
}
