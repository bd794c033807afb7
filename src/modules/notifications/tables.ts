import type { Severity } from './catalog.ts'
import type { QuietHours } from './quiet-hours.ts'

export const CHANNEL_KINDS = ['email', 'slack', 'teams', 'pagerduty', 'webhook', 'push'] as const
/** Members have further channels: e-mail to their account, and browsers. */
export type ChannelKind = (typeof CHANNEL_KINDS)[number] | 'browser'

export type Step = 'started' | 'repeated' | 'resolved' | 'test'
export type Hold = 'grouping' | 'limit' | 'quiet_hours'

/** Configuration that a channel shows; the members depend on the kind. */
export type ChannelConfig = {
  /** E-mail addresses. */
  to?: string[]
  /** Host of the URL that is called. */
  host?: string
  secret_prefix?: string
  application_id?: string
  external_user_ids?: string[]
  /** SHA-256 of the address of a browser, by which it recognizes itself. */
  endpoint_hash?: string
}

/** One notification in a message. */
export type Item = {
  notification_id: string
  subject: string
  severity: Severity
  step: Step
  title: string
  detail: string | null
  link: string
  /** When it started or was resolved, in ISO 8601. */
  at: string
}

export type NotificationTables = {
  notification_channels: {
    org_id: string
    id: string
    user_id: string | null
    browser_of: string | null
    kind: ChannelKind
    name: string
    config: ChannelConfig
    sealed: string | null
    per_hour_max: number
    verified_at: Date | null
    failing_since: Date | null
    last_error: string | null
    created_at: Date
    updated_at: Date
  }
  notification_routes: {
    org_id: string
    id: string
    user_id: string | null
    subject: string | null
    rule_id: string | null
    channel_ids: string[]
    min_severity: Severity
    repeat_minutes: number
    quiet_hours: QuietHours | null
    muted_until: Date | null
    updated_at: Date
  }
  notifications: {
    org_id: string
    id: string
    subject: string
    key: string
    severity: Severity
    is_lasting: boolean
    title: string
    detail: string | null
    link: string
    rule_id: string | null
    muted_until: Date | null
    started_at: Date
    resolved_at: Date | null
    acknowledged_at: Date | null
    acknowledged_by: string | null
    told: string[]
    due_at: Date | null
  }
  notification_messages: {
    org_id: string
    channel_id: string
    id: string
    subject: string
    step: Step
    hold: Hold | null
    items: Item[]
    status: 'pending' | 'succeeded' | 'failed'
    attempts: number
    due_at: Date | null
    lease_id: string | null
    leased_until: Date | null
    attempted_at: Date | null
    response_status: number | null
    response_body: string | null
    error: string | null
    latency_ms: number | null
    created_at: Date
  }
  notification_progress: { name: string; until: Date }
}
