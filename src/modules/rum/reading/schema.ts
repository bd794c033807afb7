/** Responses of the console about real users, with times in ISO 8601. */
import type { DeviceClass } from '../device-class.ts'
import type { Rating, VitalName } from '../vitals.ts'

export type { Rating as RumRating, VitalName as RumVitalName }

export type RumVital = {
  name: VitalName
  /** Milliseconds; CLS has no unit. */
  p75: number
  rating: Rating
  samples: number
  /** Shares in percent. */
  good: number
  needs_improvement: number
  poor: number
}

export type RumVitals = { overall: RumVital[]; pages: { page: string; vitals: RumVital[] }[] }

export type RumPage = {
  page: string
  views: number
  errors: number
  sessions: number
  lcp_p75: number | null
  lcp_samples: number
}

export type RumError = {
  fingerprint: string
  error_type: string
  message: string
  /** Template of the message, without data. */
  title: string
  count: number
  affected_sessions: number
  /** Up to five pages with this error. */
  pages: string[]
  first_seen: string
  last_seen: string
}

/** An error group with its last error, as it was sent. */
export type RumErrorCase = RumError & {
  example: { session_id: string; page: string; event: Record<string, unknown> }
}

export type RumSession = {
  session_id: string
  first_seen: string
  last_seen: string
  events: number
  views: number
  actions: number
  errors: number
  first_page: string
  last_page: string
  device_class: DeviceClass | null
}

export type RumTimelineEvent = {
  id: string
  type: string
  timestamp: string
  received_at: string
  page: string
  /** As it was sent. */
  event: Record<string, unknown>
}

export type RumSessionTimeline = RumSession & { timeline: RumTimelineEvent[] }

/** Values over time, in steps of equal length; empty steps are left out. */
export type RumTrend<Point> = {
  since: string
  until: string
  step_ms: number
  points: (Point & {
    /** Beginning of the step. */
    at: string
  })[]
}

export type RumVitalTrend = RumTrend<Omit<RumVital, 'name' | 'rating'>>

export type RumActivity = RumTrend<
  Pick<RumSession, 'views' | 'actions' | 'errors'> & { sessions: number }
>
