/** Response of the overview page: what needs attention in an organization. */

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

export type Overview = {
  /** Most severe first. */
  attention: AttentionItem[]
  /** Null for members who may not see credits. */
  credits: CreditsLeft | null
  /** Whether the mode has a valid key, and whether it was ever used. */
  has_key: boolean
  has_usage: boolean
}
