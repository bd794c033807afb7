/** Every number that the judgement of cashier actions rests on, so that a draft can be replayed. */
import type { Curve } from '../../risk/index.ts'
import type { Kind, Window } from './counts.ts'
import type { ShiftRules } from './shifts.ts'
import type { Role } from './states.ts'

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

/** Kinds whose rate is compared with that of the peers. */
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

export type RateRules = {
  /** Share among transactions before anything is known. */
  prior: Readonly<Record<Role, Readonly<Record<RateKind, number>>>>
  /** Share among all sensitive actions, for cashiers of whom no sales are sent. */
  prior_of_actions: number
  /** Transactions that the prior counts for in an organisation, and that one in a location. */
  prior_transactions: number
  /** Squared relative spread of honest cashiers while too few of them are known. */
  prior_spread: number
  /** Cashiers that this prior counts for. */
  prior_spread_peers: number
  /** Squared relative spread between the locations of an organisation. */
  location_spread: number
  spread_min: number
  /** Pseudo-transactions of the Beta distribution. */
  strength_min: number
  strength_max: Readonly<Record<Window, number>>
  /** How many times the rate of the peers is still nobody's fault: peaks come suddenly. */
  tolerance: Readonly<Record<Window, number>>
  /** Decayed actions that must be exceeded: more than two are at least three. */
  actions_over: number
  /** From -log10 of the probability to the strength. */
  surprise: Curve
  /** Shares within a shift that stand out at a till whatever the peers do. */
  floors: Readonly<Partial<Record<RateKind, number>>>
  floor_actions_min: number
  floor_strength: number
  change: {
    kinds: readonly RateKind[]
    /** The time before must tell at least so much more than the week. */
    trials_times: number
    /** Only for those who are above the peers by as much. */
    peers_times: number
    strength_max: number
    /** What the peers may change by in either direction. */
    trend_max: number
    surprise: Curve
    /** A habit: a history so much longer than the week, above which the week does not rise. */
    habit_trials_times: number
    habit_rise: number
    habit_weight: number
  }
  /** What a rate may at most say while till or location are new: it may be a service desk. */
  learning_days: number
  learning_strength: number
}

export type CashierParameters = {
  weights: Readonly<Record<CashierSignal, number>>
  flag_from: number
  rates: RateRules
  shifts: ShiftRules
  desk: { refund_share_min: number; refunds_min: number }
  off_shift: {
    /** Right after the end, and from `far_minutes` on. */
    near_strength: number
    far_strength: number
    far_minutes: number
    /** For actions of little use to a thief. */
    other_strength: number
    /** Sales rung meanwhile tell a forgotten clock-in. */
    forgotten_sales: number
    forgotten_strength: number
    /** Share of peers' actions off shift from which shift events are not to be trusted. */
    peers_share_max: number
    peers_strength: number
    hours_strength: number
    hours_events_min: number
  }
  bursts: { window_minutes: number; strengths: Curve; desk_strengths: Curve }
  void_after_cash: { seconds: number; strength: number }
  drawer_after_void: { seconds: number; strength: number }
  pickup: { strength_max: number; sales_min: number }
  round_refunds: {
    unknown_order: number
    no_order: number
    other_mismatch: number
    half_round: number
    /** Share of round amounts among the sales before any are known. */
    prior_share: number
    prior_sales: number
    /** Where returns are the daily business, one says no more than this. */
    desk_strength_max: number
    policy_days: number
  }
  over_refund: { times: number; strength: number }
  discounts: {
    /** Discounted money against that of the peers, in multiples. */
    size_ratio: Curve
    size_overrides_over: number
    customer_share: number
    customer_strength_of_share: number
    customer_sales_over: number
    customer_strength_max: number
    customer_half_life_days: number
  }
  publish: { sales: number; hours: number; report_hours: number }
}

const TILL_PRIOR = {
  void: 0.015,
  refund: 0.015,
  override: 0.015,
  drawer: 0.02,
  void_after_cash: 0.006,
  drawer_after_void: 0.002,
  pickup: 0.005,
  discounted_sale: 0.02,
  /** Of the refunds. */
  unmatched_round: 0.02,
}

export const CASHIER_PARAMETERS: CashierParameters = {
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
    prior: {
      till: TILL_PRIOR,
      desk: { ...TILL_PRIOR, void: 0.05, refund: 0.3 },
    },
    prior_of_actions: 0.25,
    prior_transactions: 300,
    prior_spread: 0.16,
    prior_spread_peers: 3,
    location_spread: 0.1,
    spread_min: 0.01,
    strength_min: 20,
    // A maximum of 200 is a relative spread of 57 % at a share of 1.5 %: right for a single shift,
    // but no cashier with twice the rate of the peers would ever stand out in a month.
    strength_max: { shift: 200, week: 1000, month: 5000 },
    tolerance: { shift: 2, week: 1.2, month: 1 },
    actions_over: 2,
    surprise: [
      [1, 0],
      [2, 15],
      [5.5, 50],
      [7.5, 80],
      [9.5, 100],
    ],
    floors: { void: 0.2, refund: 0.2, override: 0.3, drawer: 0.25 },
    floor_actions_min: 8,
    floor_strength: 55,
    change: {
      kinds: ['void', 'refund', 'override', 'drawer', 'discounted_sale'],
      trials_times: 0.5,
      peers_times: 1.3,
      strength_max: 3000,
      trend_max: 4,
      surprise: [
        [1, 0],
        [2, 25],
        [3.2, 50],
        [4.7, 70],
        [6.2, 90],
      ],
      habit_trials_times: 2,
      habit_rise: 1.15,
      habit_weight: 0.5,
    },
    learning_days: 3,
    learning_strength: 40,
  },
  shifts: { grace_minutes: 10, longest_hours: 16 },
  desk: { refund_share_min: 0.15, refunds_min: 10 },
  off_shift: {
    near_strength: 60,
    far_strength: 80,
    far_minutes: 120,
    other_strength: 60,
    forgotten_sales: 1,
    forgotten_strength: 40,
    peers_share_max: 0.2,
    peers_strength: 40,
    hours_strength: 40,
    hours_events_min: 50,
  },
  bursts: {
    window_minutes: 5,
    strengths: [
      [3, 0],
      [4, 50],
      [6, 80],
      [8, 90],
    ],
    desk_strengths: [
      [5, 0],
      [8, 50],
    ],
  },
  void_after_cash: { seconds: 120, strength: 35 },
  drawer_after_void: { seconds: 60, strength: 35 },
  pickup: { strength_max: 60, sales_min: 5 },
  round_refunds: {
    unknown_order: 80,
    no_order: 40,
    other_mismatch: 60,
    half_round: 0.6,
    prior_share: 0.02,
    prior_sales: 200,
    desk_strength_max: 40,
    policy_days: 100,
  },
  over_refund: { times: 1.5, strength: 60 },
  discounts: {
    size_ratio: [
      [2, 0],
      [4, 40],
      [8, 65],
    ],
    size_overrides_over: 4,
    customer_share: 0.1,
    customer_strength_of_share: 20,
    customer_sales_over: 3,
    customer_strength_max: 80,
    customer_half_life_days: 30,
  },
  publish: { sales: 32, hours: 6, report_hours: 12 },
}
