/**
 * What the console reads of orders and profiles: lists, one order with the reasons for its score, and
 * what is known of a profile as it can be drawn.
 */
import type { RiskLevel } from '../../risk/index.ts'
import type { OrderRequest } from '../schema.ts'

type Decision = 'confirmed_fraud' | 'legitimate'

export type OrderListItem = {
  id: string
  external_order_id: string
  /** Of the profile; both null for an anonymous order. */
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
  /** By the wall clock of the place. */
  local_hour: number
  fingerprint_hash: string | null
  risk_score: number
  risk_level: RiskLevel
  flags: string[]
  /** The last one. */
  decision: Decision | null
  /** Whether it is in the review queue. */
  is_waiting: boolean
  ordered_at: Date
  /** When it was received and scored. */
  created_at: Date
}

export type OrderPage = {
  orders: OrderListItem[]
  next_cursor: string | null
  /** How far back was looked when a filter left too few; null when the page is full or at the end. */
  examined_until: Date | null
}

export type OrderSignalPart = {
  signal: string
  /** 0-100 */
  strength: number
  /** How much of the score the signal can make on its own, 0-1. */
  weight: number
  /** Part of the score, 0-1. */
  share: number
  /** The same in points; those of all signals add up to the score. */
  points: number
  /** The flag that it raised. */
  flag: string | null
  finding: string | null
  /** The finding in words, with its numbers. */
  sentence: string | null
  numbers: Readonly<Record<string, number | string>>
}

export type OrderDecision = {
  decision: Decision
  decided_at: Date
  decided_by: string
  /** Undefined when it was no member of today. */
  decided_by_email?: string | undefined
  note: string | null
}

export type OrderReview = {
  id: string
  subject: 'order' | 'alert' | 'cashier_action'
  /** Of an alert, its pattern. */
  reason: string
  created_at: Date
  decision: Decision | null
}

/** What a cashier did about an order. */
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
  /** Profiles that were ever seen with it. */
  profiles: number
  /** The strongest recent check of it. */
  check: { risk_score: number; risk_level: RiskLevel; checked_at: Date; id: string | null } | null
}

/** The record of a profile, as its customers get it. */
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

/** What a profile usually pays in one currency: two standard deviations around its mean. */
export type AmountBand = {
  currency: string
  /** Orders that it was learnt from, counted up to 200. */
  orders: number
  usual_cents: number
  from_cents: number
  to_cents: number
}

export type Place = { latitude: number; longitude: number }

/** What orders taught of a profile until now. */
export type ProfileBehaviour = {
  amounts: AmountBand[]
  /** Share of each hour of the day, 24 of them; empty before the first order. */
  hours: number[]
  devices: {
    /** Ever seen. */
    count: number
    /** Most recently used first, ten at most; the name is known of those in the orders shown. */
    known: { fingerprint_hash: string | null; first_seen_at: Date }[]
  }
  payments: {
    /** Most recently used first. */
    methods: { method: string; used_at: Date }[]
    /** How many orders in a row used the first one. */
    run: number
  }
  places: {
    last: (Place & { at: Date }) | null
    centre: (Place & { radius_km: number }) | null
    /** Middles of areas about 28 km wide, most visited first, with their share of the visits. */
    areas: (Place & { share: number })[]
    countries: { country: string; share: number }[]
  }
  /** Orders that decayed to half after 5 minutes, an hour, a day and a week. */
  velocity: { minutes: number; hour: number; day: number; week: number }
}

export type OrderDetails = {
  order: OrderListItem & {
    mode: 'live' | 'test'
    /** Number among the orders of the organisation and mode. */
    seq: number
    flagged_for_review: boolean
    /** ISO 3166 alpha-2, or the name in lower case. */
    country: string | null
    /** Of the rules that scored it; 0 for those of the program. */
    rules_version: number
    /** Of the one who rang it up, when one was told. */
    cashier_id: string | null
  }
  sent: OrderRequest
  signals: OrderSignalPart[]
  /** Statistics alone flag nothing so early. */
  is_of_new_organization: boolean
  /** In the order in which they were made. */
  decisions: OrderDecision[]
  reviews: OrderReview[]
  actions: OrderAction[]
  device: OrderDevice | null
  profile: ProfileHead | null
  behaviour: ProfileBehaviour | null
  /** Orders of the profile before this one, newest first. */
  before: OrderListItem[]
}

export type ProfileDetails = {
  profile: ProfileHead
  /** Strongest recent scores behind the risk of the profile. */
  risk: { score: number; at: Date; source: 'order' | 'check' }[]
  /** When each pattern last raised an alert. */
  alerts: { pattern: string; at: Date }[]
  behaviour: ProfileBehaviour
  /** Newest first. */
  recent: OrderListItem[]
}

export type ProfileListItem = Pick<
  ProfileHead,
  | 'id'
  | 'external_id'
  | 'profile_type'
  | 'risk_score'
  | 'risk_level'
  | 'device_count'
  | 'total_orders'
  | 'last_seen_at'
>

export type ProfilePage = { profiles: ProfileListItem[]; next_cursor: string | null }
