/**
 * Console responses for orders and profiles: lists, an order with the reasons for its score, and
 * the known behavior of a profile.
 */
import type { ExplainedSignal, RiskLevel, ShownAdjustment } from '../../risk/index.ts'
import type { OrderRequest } from '../schema.ts'

type Decision = 'confirmed_fraud' | 'legitimate'

export type OrderListItem = {
  id: string
  external_order_id: string
  /** `external_id` and `profile_id` name the profile; both are null for an anonymous order. */
  external_id: string | null
  profile_id: string | null
  amount_cents: number
  currency: string
  order_type: string | null
  payment_method: string | null
  location_name: string | null
  location_city: string | null
  location_country: string | null
  latitude: number | null
  longitude: number | null
  /** Local hour at the place of the order, 0-23. */
  local_hour: number
  fingerprint_hash: string | null
  risk_score: number
  risk_level: RiskLevel
  flags: string[]
  /** Latest review decision. */
  decision: Decision | null
  /** Whether the order waits in the review queue. */
  is_waiting: boolean
  ordered_at: Date
  /** Time of receipt and scoring. */
  created_at: Date
}

export type OrderPage = {
  orders: OrderListItem[]
  next_cursor: string | null
  /**
   * Time up to which a sparse filter was evaluated; null when the page is full or the list ended.
   */
  examined_until: Date | null
}

export type OrderSignalPart = ExplainedSignal<string> & {
  /** Flag that the signal raised. */
  flag: string | null
}

export type OrderDecision = {
  decision: Decision
  decided_at: Date
  decided_by: string
  /** Undefined unless a current member decided. */
  decided_by_email?: string | undefined
  note: string | null
}

export type OrderReview = {
  id: string
  subject: 'order' | 'alert' | 'cashier_action'
  /** For an alert, its pattern. */
  reason: string
  created_at: Date
  decision: Decision | null
}

/** A cashier action on an order. */
export type OrderAction = {
  id: string
  action_type: string
  cashier_external_id: string
  amount_cents: number | null
  reason: string | null
  risk_score: number
  risk_level: RiskLevel
  performed_at: Date
}

export type OrderDevice = {
  fingerprint_hash: string
  /** Number of profiles ever seen on the device. */
  profiles: number
  /** The strongest recent check of the device. */
  check: { risk_score: number; risk_level: RiskLevel; checked_at: Date; id: string | null } | null
}

/** The profile record of the API with a few console fields. */
export type ProfileHead = {
  id: string
  external_id: string
  mode: 'live' | 'test'
  profile_type: string
  country_code: string | null
  risk_score: number
  risk_level: RiskLevel
  device_count: number
  total_orders: number
  first_seen_at: Date
  last_seen_at: Date
}

/** Usual amounts of a profile in one currency: two standard deviations around the mean. */
export type AmountBand = {
  currency: string
  /** Number of orders behind the band, counted up to 200. */
  orders: number
  usual_cents: number
  from_cents: number
  to_cents: number
}

export type Place = { latitude: number; longitude: number }

/** What orders have taught about a profile. */
export type ProfileBehavior = {
  amounts: AmountBand[]
  /** Shares of the 24 hours of the day; empty before the first order. */
  hours: number[]
  devices: {
    /** Number of devices ever seen. */
    count: number
    /**
     * Most recently used first, at most ten. Only devices of the orders shown have a fingerprint.
     */
    known: { fingerprint_hash: string | null; first_seen_at: Date }[]
  }
  payments: {
    /** Most recently used first. */
    methods: { method: string; used_at: Date }[]
    /** Number of consecutive orders that used the first one. */
    run: number
  }
  places: {
    last: (Place & { at: Date }) | null
    center: (Place & { radius_km: number }) | null
    /** Centers of areas about 28 km wide with their share of the visits, most visited first. */
    areas: (Place & { share: number })[]
    countries: { country: string; share: number }[]
  }
  /** Decayed order counts with half-lives of 5 minutes, an hour, a day and a week. */
  velocity: { minutes: number; hour: number; day: number; week: number }
}

export type OrderDetails = {
  order: OrderListItem & {
    mode: 'live' | 'test'
    /** Sequence number within the organization and mode. */
    seq: number
    flagged_for_review: boolean
    /** ISO 3166 alpha-2, or the lowercased name of an unknown country. */
    country: string | null
    /** Version of the rules that scored the order; 0 for the defaults. */
    rules_version: number
    /** The cashier who rang up the order, if named. */
    cashier_id: string | null
  }
  sent: OrderRequest
  signals: OrderSignalPart[]
  /** What custom rules and lists have changed about the score, in the sequence of the changes. */
  adjustments: ShownAdjustment[]
  /** What rules in shadow would have changed. */
  shadows: ShownAdjustment[]
  /** True while statistics alone cannot flag orders of the organization. */
  is_of_new_organization: boolean
  /** The share of fraud among orders with such a score, as a sentence; null while it is unknown. */
  experience: string | null
  /** Oldest first. */
  decisions: OrderDecision[]
  reviews: OrderReview[]
  actions: OrderAction[]
  device: OrderDevice | null
  profile: ProfileHead | null
  behavior: ProfileBehavior | null
  /** Earlier orders of the profile, newest first. */
  before: OrderListItem[]
}

export type ProfileDetails = {
  profile: ProfileHead
  /** Strongest recent scores behind the risk of the profile. */
  risk: { score: number; at: Date; source: 'order' | 'check' }[]
  /** Time at which each pattern last raised an alert. */
  alerts: { pattern: string; at: Date }[]
  behavior: ProfileBehavior
  /** Newest first. */
  recent: OrderListItem[]
}

export type ProfilePage = { profiles: ProfileHead[]; next_cursor: string | null }
