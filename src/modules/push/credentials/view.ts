/** Converts a stored credential to the form that the console API returns. */
import { type ShownCredential, STATUS_TEXTS } from './schema.ts'
import type { ShownRow } from './store.ts'

/** @param now time after which a pause is still in effect */
export function shownCredential(row: ShownRow, now: Date): ShownCredential {
  const { provider, status, error, shown, stored_at, accepted_at, rejected_at, paused_until } = row
  const isPaused = paused_until !== null && paused_until > now
  return {
    provider,
    status: STATUS_TEXTS[status],
    error,
    shown,
    stored_at: stored_at.toISOString(),
    accepted_at: accepted_at?.toISOString() ?? null,
    rejected_at: rejected_at?.toISOString() ?? null,
    paused_until: isPaused ? paused_until.toISOString() : null,
  }
}
