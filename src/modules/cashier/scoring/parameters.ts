/** All numbers that the scoring of cashier actions uses, so that other values can be replayed. */
import { curve } from '../../risk/index.ts'
import type { Kind } from './counts.ts'

export const CASHIER_SIGNALS = [
  'excessive_voids',
  'excessive_refunds',
  'discount_abuse',
  'off_shift',
  'velocity_anomaly',
  'drawer_anomaly',
  'round_number_refund',
] as const
export type CashierSignal = (typeof CASHIER_SIGNALS)[number]

/** Kinds with a rate that is compared with the peers. */
export type RateKind = Exclude<
  Kind,
  | 'sale'
  | 'sale_squares'
  | 'round_sale'
  | 'half_round_sale'
  | 'off_shift'
  | 'matched_refund'
  | 'override_size'
>

const TILL_PRIOR: Readonly<Record<RateKind, number>> = {
  void: 0.015,
  refund: 0.015,
  override: 0.015,
  drawer: 0.02,
  void_after_cash: 0.006,
  drawer_after_void: 0.002,
  pickup: 0.005,
  discounted_sale: 0.02,
  /** Share of the refunds. */
  unmatched_round: 0.005,
}

/** Shares within a shift that are suspicious at a till even if all peers have them. */
const FLOORS: Readonly<Partial<Record<RateKind, number>>> = {
  void: 0.2,
  refund: 0.2,
  override: 0.3,
  drawer: 0.25,
}

export const CASHIER_PARAMETERS = {
  weights: {
    excessive_voids: 0.75,
    excessive_refunds: 0.75,
    discount_abuse: 0.7,
    off_shift: 0.8,
    velocity_anomaly: 0.5,
    drawer_anomaly: 0.7,
    round_number_refund: 0.8,
  },
  flag_from: 50,
  rates: {
    /** Prior share of the transactions. */
    prior: { till: TILL_PRIOR, desk: { ...TILL_PRIOR, void: 0.05, refund: 0.3 } },
    /** Prior share of all sensitive actions, for cashiers without sales. */
    prior_of_actions: 0.25,
    /** Weight, in transactions, of the prior at the organization, and of that at a location. */
    prior_transactions: 300,
    /** Prior of the squared relative spread between honest cashiers, and its weight in cashiers. */
    prior_spread: 0.16,
    prior_spread_peers: 3,
    /** Squared relative spread between the locations of an organization. */
    location_spread: 0.1,
    spread_min: 0.01,
    /**
     * Bounds of the pseudo-transactions of the beta distribution. A maximum of 200 allows a relative
     * spread of 57 % at a share of 1.5 %. That fits a single shift, but over a month it would hide
     * cashiers with double the rate of their peers.
     */
    strength_min: 20,
    strength_max: { shift: 200, week: 1000, month: 5000 },
    /** Multiple of the peers' rate that is tolerated, because peaks can come suddenly. */
    tolerance: { shift: 2, week: 1.2, month: 1 },
    /** Decayed count that must be exceeded; more than two means at least three actions. */
    actions_over: 2,
    /** Strength as a function of -log10 of the probability. */
    surprise: curve({ 1: 0, 2: 15, 5.5: 50, 7.5: 80, 9.5: 100 }),
    floors: FLOORS,
    floor_actions_min: 8,
    /** Multiple of the expected rate that is suspicious within a shift. */
    floor_times: 7,
    floor_strength: 55,
    change: {
      kinds: ['void', 'refund', 'override', 'drawer', 'discounted_sale'],
      /** Minimum of the earlier trials, as a multiple of those of the week. */
      trials_times: 0.5,
      /** Minimum of the rate, as a multiple of the peers' rate. */
      peers_times: 1.3,
      strength_max: 3000,
      /** Maximum change of the peers, in either direction. */
      trend_max: 4,
      surprise: curve({ 1: 0, 2: 25, 3.2: 50, 4.7: 70, 6.2: 90 }),
      /** Minimum of the earlier trials of a habit, as a multiple of those of the week. */
      habit_trials_times: 2,
      /** Maximum of the week's rate in a habit, as a multiple of the earlier rate. */
      habit_rise: 1.15,
      /** Factor of the strength for a habit. */
      habit_weight: 0.5,
      /** Factor of the strength at a service desk: its few sales vary with the returns. */
      desk_weight: 0.7,
    },
    rise: {
      /** Refunds rise for everyone after a sale, and belong to the desk where one exists. */
      kinds: ['void', 'override', 'drawer'],
      /** Multiple of the earlier rate that is looked for. */
      times: 2,
      /** Minimum of the earlier trials, as a multiple of those of the week. */
      trials_times: 1,
      /** Age from which the earlier rate is estimated again. */
      baseline_days: 60,
      /** Maximum factor for a season in which the rates of all rise. */
      season_max: 2,
      count_min: 5,
      score_max: 25,
      /** Strength as a function of the natural logarithm of the likelihood ratio. */
      strength: curve({ 6: 0, 8.5: 50, 13: 75, 20: 90 }),
    },
    /** Findings about more than a shift, below a strength: days until one is flagged again unless it grows. */
    again: { days: 14, growth: 15, below: 95, strength_max: 45 },
    /** Maximum strength while till or location are new, because it can be a service desk. */
    learning_days: 3,
    learning_strength: 40,
  },
  shifts: { grace_minutes: 10, longest_hours: 16 },
  desk: { refund_share_min: 0.15, refunds_min: 10 },
  off_shift: {
    /** Strengths right after the end of the shift, and from `far_minutes` on. */
    near_strength: 60,
    far_strength: 80,
    far_minutes: 120,
    /** Strength for actions of little use to a thief. */
    other_strength: 60,
    /** Number of sales since the shift that point to a forgotten clock-in. */
    forgotten_sales: 1,
    forgotten_strength: 40,
    /** Share of the peers' actions off shift from which shift events are unreliable. */
    peers_share_max: 0.2,
    peers_strength: 40,
    hours_strength: 40,
    hours_events_min: 50,
  },
  bursts: {
    window_minutes: 5,
    strengths: curve({ 3: 0, 4: 50, 6: 80, 8: 90 }),
    desk_strengths: curve({ 5: 0, 8: 50 }),
  },
  void_after_cash: { seconds: 120, strength: 35 },
  drawer_after_void: { seconds: 60, strength: 35 },
  pickup: { strength_max: 60, sales_min: 5 },
  /** Decayed openings without a sale in a shift, and the most sales next to them. */
  no_sales: { openings_min: 6, sales_max: 1, strength: 55 },
  round_refunds: {
    unknown_order: 80,
    no_order: 40,
    /** Strength without an order for a large amount, and for one that is not the first. */
    no_order_suspicious: 60,
    /** Decayed count from which such a refund is not the first. */
    repeated_from: 1.5,
    /** Cents by which an amount can exceed a round one, and the part of the strength left then. */
    near_cents: 2,
    near_share: 0.8,
    /** Multiple of the mean sale of the cashier that is large. */
    large_times: 5,
    other_mismatch: 60,
    half_round: 0.6,
    /** Prior share of round amounts among the sales. */
    prior_share: 0.02,
    prior_sales: 200,
    /** Maximum strength at a service desk, where returns are normal. */
    desk_strength_max: 40,
    policy_days: 100,
  },
  over_refund: { times: 1.5, strength: 60 },
  unknown_refund: { strength: 25, large_strength: 60 },
  discounts: {
    /** Strength as a function of the discounted money, as a multiple of that of the peers. */
    size_ratio: curve({ 2: 0, 4: 40, 8: 65 }),
    size_overrides_over: 4,
    customer_share: 0.1,
    customer_strength_of_share: 20,
    customer_sales_over: 3,
    customer_strength_max: 80,
    customer_half_life_days: 30,
  },
  publish: { sales: 32, hours: 6, report_hours: 12 },
}
export type CashierParameters = Readonly<typeof CASHIER_PARAMETERS>
export type RateRules = CashierParameters['rates']
