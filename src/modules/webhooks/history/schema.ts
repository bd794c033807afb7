/** What the console reads of webhooks: how endpoints fare, and what became of each delivery. */
import type { Mode } from '../../../platform/postgres/tables/platform.ts'
import type {
  DeliveryStatus,
  FailedAttempt,
  PauseReason,
} from '../../../platform/postgres/tables/webhooks.ts'

export type { DeliveryStatus }

/** An endpoint with its mode, why and since when it is paused, and since when it fails. */
export type EndpointHealth = {
  id: string
  mode: Mode
  url: string
  events: string[]
  description: string
  status: 'active' | 'paused'
  secret_prefix: string
  pause_reason: PauseReason | null
  paused_at: Date | null
  failing_since: Date | null
  created_at: Date
  updated_at: Date
}

export type DeliveryCounts = Record<DeliveryStatus, number>

/** Of one endpoint, over its newest deliveries of a time. */
export type EndpointRate = DeliveryCounts & {
  endpoint_id: string
  /** There were more than are counted. */
  is_partial: boolean
  latency_p95_ms: number | null
}

/** Of one endpoint, over its newest deliveries of a time. */
export type DeliveryStatistics = {
  counted: number
  by_status: Partial<DeliveryCounts>
  oldest_due_at: Date | null
  latency_p50_ms: number | null
  latency_p95_ms: number | null
}

export type Statistics = DeliveryStatistics & {
  hours: number
  /** There were more than are counted. */
  is_partial: boolean
  /** Of those that are finished or have failed at least once; null when there are none. */
  success_rate: number | null
}

/** As long as there is more, ask again for what is after the last one. */
export type Replayed = { replayed: number; is_more: boolean; last_id: string | null }

/** Deliveries that were made in one step, by what became of them. */
export type SeriesPoint = DeliveryCounts & {
  at: Date
  latency_p50_ms: number | null
  latency_p95_ms: number | null
}

export type Series = {
  from: Date
  until: Date
  step_ms: number
  /** There were more than are counted; the oldest are missing. */
  is_partial: boolean
  /** Oldest first; steps without deliveries are left out. */
  points: SeriesPoint[]
}

/** An event on its way to an endpoint, with its last attempt. */
export type ListedDelivery = {
  id: string
  event_id: string
  event_type: string
  status: DeliveryStatus
  attempts: number
  next_attempt_at: Date | null
  is_under_way: boolean
  /** When the last attempt ended. */
  attempted_at: Date | null
  response_status: number | null
  error: string | null
  latency_ms: number | null
  created_at: Date
  /** Made by the operation `test`, for this endpoint alone. */
  is_test: boolean
}

export type DeliveryPage = {
  deliveries: ListedDelivery[]
  next_cursor: string | null
  /** How far back was looked when a filter left too few; null when the page is full or at the end. */
  examined_until: Date | null
}

export type Attempt = Omit<FailedAttempt, 'error'> & { error: string | null }

export type DeliveryDetails = ListedDelivery & {
  /** The first 2 KiB. */
  response_body: string | null
  /** Oldest first: all that failed, as far as they are known (the last fifty), and the last one. */
  tried: Attempt[]
  request: {
    url: string
    /** As every attempt has them; the signature is made anew each time and not stored. */
    headers: Record<string, string>
    /** Null when the event is not stored any more. */
    body: string | null
  }
}
