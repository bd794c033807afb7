/** What people read of the users of their pages: answers of the console, times as ISO 8601. */
export type RumVitalName = 'LCP' | 'INP' | 'CLS' | 'FCP' | 'TTFB'
export type RumRating = 'good' | 'needs_improvement' | 'poor'

export type RumVital = {
  name: RumVitalName
  /** Milliseconds; CLS has no unit. */
  p75: number
  rating: RumRating
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
  /** The message without what differs from one to the next. */
  title: string
  count: number
  affected_sessions: number
  /** Some of them. */
  pages: string[]
  first_seen: string
  last_seen: string
}

/** A group with the last of its errors as it was sent. */
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
  device_class: 'desktop' | 'mobile' | 'tablet' | 'bot' | null
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

/** Over time, in steps of one length; steps without anything are left out. */
export type RumTrend<Point> = {
  since: string
  until: string
  step_ms: number
  points: (Point & {
    /** Beginning of the step. */
    at: string
  })[]
}

export type RumVitalTrend = RumTrend<{
  p75: number
  samples: number
  good: number
  needs_improvement: number
  poor: number
}>

export type RumActivity = RumTrend<{
  views: number
  actions: number
  errors: number
  sessions: number
}>
