/** Responses of the home page and the menu: what needs attention in an organization, and its figures. */

export const ATTENTION_KINDS = [
  'reviews',
  'webhooks_paused',
  'webhooks_failing',
  'alerts',
  'devices',
  'push',
  'credits',
  'spool',
  'spool_refused',
] as const
export type AttentionKind = (typeof ATTENTION_KINDS)[number]

/** `critical` means broken now, `warning` means about to break or overdue. */
export type Severity = 'critical' | 'warning' | 'notice'

export type AttentionItem = {
  kind: AttentionKind
  severity: Severity
  /** One line. */
  text: string
  /** Advice, or the names of the affected objects. */
  detail: string | null
  since: string | null
  /** Path below the organization's pages, including the query. */
  link: string
}

export type CreditsLeft = {
  available_credits: number
  /** Average of the last seven days. */
  spent_per_day: number
  /** Days at that rate; null when nothing is spent or left. */
  days_left: number | null
  /** The level that the organization has set; null for one that depends on the usage. */
  low_balance_credits: number | null
}

export type Amount = { currency: string; amount_cents: number }
export type Fleet = { devices: number; non_compliant: number }
/** `reporting` devices sent something in the last hour. */
export type EdgeFleet = { devices: number; reporting: number }

/** Areas in which a newcomer can begin. */
export type Step = 'check' | 'order' | 'log' | 'webhook' | 'device' | 'push'

/** Numbers of the home page; null where the organization has no data, or the viewer no access. */
export type Figures = {
  fraud: {
    open_cases: number
    overdue_cases: number
    /** Sums of undecided items. */
    at_risk: Amount[]
    oldest_at: string | null
    /** Decisions of the last 30 days about what was flagged: their number, frauds, and the amounts of those. */
    decided: number
    frauds: number
    caught: Amount[]
    /** False when only the newest cases and decisions were counted. */
    is_complete: boolean
  }
  alerts: { firing: number }
  edge_devices: EdgeFleet | null
  managed_devices: Fleet | null
  /** Deliveries of the last 24 hours, up to 500 of each endpoint. */
  deliveries: { succeeded: number; finished: number } | null
  /** The calendar month is that of the time zone of the request. */
  cost: {
    credits: number
    forecast_credits: number | null
    price: { currency: string; per_1000_credits: number } | null
  } | null
}

/** Usage per day. */
export type Fortnight = {
  meters: { meter: string; quantity: number[] }[]
  flagged_orders: number[]
}

/** Counts for the menu. */
export type Badges = { cases: number; alerts: number; endpoints: number }

export type Overview = {
  /** Most severe first. */
  attention: AttentionItem[]
  /** Null for members who may not see credits. */
  credits: CreditsLeft | null
  /** Whether the mode has a valid key, and whether it was ever used. */
  has_key: boolean
  has_usage: boolean
  other_mode_has_usage: boolean
  /** First steps that were done in this mode. */
  steps: Step[]
  figures: Figures
  /** The last 14 days. */
  fortnight: Fortnight
}
