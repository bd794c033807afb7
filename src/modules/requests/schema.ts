/** What the console reads of the request log. */
import type { Mode } from '../../platform/postgres/tables/platform.ts'

export type LoggedRequest = {
  id: string
  at: string
  mode: Mode | null
  method: string
  /** As a pattern: `/v1/check/:id`. */
  route: string
  /** As it came, without the query. */
  path: string
  status: number
  duration_ms: number
  key_id: string | null
  /** Recognises the key: `sk_live_…a1B2`. */
  key_hint: string | null
  /** Of the signed-in user; those send no key. */
  user_email: string | null
  /** So many of the same second and process are not in the log, because it keeps a bounded number. */
  left_out: number
}

export type RequestPage = {
  /** Newest first. */
  requests: LoggedRequest[]
  /** More may follow even when the page is short: only so much is examined at a time. */
  next_cursor: string | null
  /** Of the stretch of time that was examined for this page, whatever the filters say. */
  left_out: number
  /** How far back it was examined; null when that was to the end. */
  examined_until: string | null
}
