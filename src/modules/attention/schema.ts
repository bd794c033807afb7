/** What needs somebody's attention in an organisation, as the console's first page shows it. */

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

/** `critical`: something does not work now. `warning`: it will not, or somebody waits. */
export type Severity = 'critical' | 'warning' | 'notice'

export type AttentionItem = {
  kind: AttentionKind
  severity: Severity
  /** One line. */
  text: string
  /** What to do, or which ones. */
  detail: string | null
  since: string | null
  /** Below the organisation's pages, with its query. */
  link: string
}

export type CreditsLeft = {
  available_credits: number
  /** A day, on the average of the last seven. */
  spent_per_day: number
  /** At that rate; null when nothing is spent or nothing is left. */
  days_left: number | null
}

export type Overview = {
  /** The most pressing first. */
  attention: AttentionItem[]
  /** Null for members who may not see them. */
  credits: CreditsLeft | null
  /** Whether a key is valid, and whether anything was ever sent in this mode. */
  has_key: boolean
  has_usage: boolean
}
