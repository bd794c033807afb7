/** Responses of the console about webhook endpoints: health, rates and delivery history. */

import type { Selectable } from 'kysely'
import type { EventType } from '../../events/index.ts'
import type { DeliveryStatus, FailedAttempt, WebhookTables } from '../tables.ts'

export type { DeliveryStatus }

/** Endpoint with its mode, the reason and start of a pause, and the start of its failures. */
export type EndpointHealth = Omit<
  Selectable<WebhookTables['webhook_endpoints']>,
  | 'org_id'
  | 'host'
  | 'secret'
  | 'status'
  | 'filter_path'
  | 'sealed_headers'
  | 'paced_until'
  | 'previous_secret'
> & { status: 'active' | 'paused' }

type Latency = { latency_p50_ms: number | null; latency_p95_ms: number | null }

export type DeliveryCounts = Record<DeliveryStatus, number>

/** Outcomes of the newest deliveries of one endpoint within a time range. */
export type EndpointRate = DeliveryCounts & {
  endpoint_id: string
  /** The range has more deliveries than were counted. */
  is_partial: boolean
  latency_p95_ms: number | null
}

/** Statistics over the newest deliveries of one endpoint within a time range. */
export type DeliveryStatistics = {
  counted: number
  by_status: Partial<DeliveryCounts>
  oldest_due_at: Date | null
} & Latency

export type Statistics = DeliveryStatistics & {
  hours: number
  /** The range has more deliveries than were counted. */
  is_partial: boolean
  /** Share of successes among deliveries with at least one finished attempt; null without any. */
  success_rate: number | null
}

/** While `is_more` is true, repeat the replay with `after` set to `last_id`. */
export type Replayed = { replayed: number; is_more: boolean; last_id: string | null }

/** Deliveries created within one step of a series, by status. */
export type SeriesPoint = DeliveryCounts & Latency & { at: Date }

export type Series = {
  from: Date
  until: Date
  step_ms: number
  /** The range has more deliveries than were counted; the oldest are missing. */
  is_partial: boolean
  /** Oldest first; steps without deliveries are left out. */
  points: SeriesPoint[]
}

/** Delivery of an event to an endpoint, with its last attempt. */
export type ListedDelivery = Pick<
  WebhookTables['webhook_deliveries'],
  | 'id'
  | 'event_id'
  | 'event_type'
  | 'status'
  | 'attempts'
  | 'attempted_at'
  | 'response_status'
  | 'error'
  | 'latency_ms'
  | 'created_at'
> & {
  next_attempt_at: Date | null
  is_under_way: boolean
  /** Created by the test operation, for this endpoint alone. */
  is_test: boolean
}

export type DeliveryPage = {
  deliveries: ListedDelivery[]
  next_cursor: string | null
  /** End of the range searched for a filtered page; null when the page is full or the history ends. */
  examined_until: Date | null
}

export type Attempt = Omit<FailedAttempt, 'error'> & { error: string | null }

export type DeliveryDetails = ListedDelivery & {
  /** The first 2 KiB. */
  response_body: string | null
  /** The last fifty failed attempts and the last attempt, oldest first. */
  tried: Attempt[]
  request: {
    url: string
    /** Headers common to all attempts. The signature differs per attempt and is not stored. */
    headers: Record<string, string>
    /** Null when the event has been deleted. */
    body: string | null
  }
}

/** An event of the catalog, with the schema and a sample of its `data`. */
export type DescribedEvent = { type: EventType; schema: unknown; sample: unknown }

export type PreviewedEvent = {
  id: string
  type: string
  occurred_at: Date
  body: string
  passes: boolean
}
