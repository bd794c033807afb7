import type { ColumnType, Generated } from 'kysely'
import type { Mode } from '../../platform/owner.ts'
import type { EventFilter } from './extras/schema.ts'

export const PAUSE_REASONS = ['requested', 'gone', 'failing'] as const
export type PauseReason = (typeof PAUSE_REASONS)[number]

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'exhausted'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

export type FailedAttempt = {
  /** ISO 8601. */
  at: string
  response_status: number | null
  error: string
  latency_ms: number | null
}

export type WebhookTables = {
  webhook_endpoints: {
    org_id: string
    id: string
    mode: Mode
    url: string
    host: string
    events: string[]
    description: string
    status: 'active' | 'paused' | 'deleted'
    secret: string
    secret_prefix: string
    pause_reason: PauseReason | null
    paused_at: Date | null
    failing_since: Date | null
    created_at: Date
    updated_at: Date
    /** As people wrote it. Written as JSON. */
    filter: ColumnType<EventFilter | null, string | null | undefined, string | null>
    /** The form in which the fan-out evaluates it. */
    filter_path: string | null
    sealed_headers: string | null
    header_names: Generated<string[]>
    rate_per_second: number | null
    /** Until this time, the rate is used up. */
    paced_until: Date | null
    /** Signs together with `secret` until the time. */
    previous_secret: string | null
    previous_secret_until: Date | null
    /** The portal in which customers manage it; null for endpoints of the organization itself. */
    portal_id: string | null
  }
  webhook_deliveries: {
    org_id: string
    endpoint_id: string
    id: string
    event_id: string
    event_type: string
    status: DeliveryStatus
    attempts: number
    due_at: Date | null
    lease_id: string | null
    leased_until: Date | null
    body: string | null
    /** When the last attempt ended. */
    attempted_at: Date | null
    response_status: number | null
    response_body: string | null
    error: string | null
    latency_ms: number | null
    created_at: Date
    /** Oldest first. Of successful attempts only the last one is stored, in the columns above. */
    failed_attempts: FailedAttempt[] | null
  }
}
