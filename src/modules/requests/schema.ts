/** Responses of the console about the request log. */
import type { Mode } from '../../platform/owner.ts'

export type LoggedRequest = {
  id: string
  at: string
  mode: Mode | null
  method: string
  /** The route's pattern: `/v1/check/:id`. */
  route: string
  /** The requested path without the query. */
  path: string
  status: number
  duration_ms: number
  key_id: string | null
  /** Identifies the key: `sk_live_…a1B2`. */
  key_hint: string | null
  /** E-mail of a signed-in user, who sends no key. */
  user_email: string | null
  /** Requests of the same second and process that exceeded the log's limit. */
  left_out: number
}

export type RequestPage = {
  /** Newest first. */
  requests: LoggedRequest[]
  /** Also set when the page is short, because a page examines a bounded number of entries. */
  next_cursor: string | null
  /** Requests missing from the time that this page examined, independent of the filters. */
  left_out: number
  /** The oldest time that this page examined; null when it reached the end. */
  examined_until: string | null
}
