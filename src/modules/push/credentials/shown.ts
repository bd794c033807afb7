/** A credential as people see it: which key it is and how it fares, never the key. */
import type { CredentialStatus, PushProvider } from '../../../platform/postgres/tables/push.ts'
import type { ShownRow } from './store.ts'

/** Specification, "Push provider credential"; `Active` is OP-34. */
const STATUS_TEXTS = {
  test_required: 'Stored, test required',
  active: 'Active',
  needs_attention: 'Needs attention',
} as const satisfies Record<CredentialStatus, string>

export type ShownCredential = {
  provider: PushProvider
  status: (typeof STATUS_TEXTS)[CredentialStatus]
  /** What the provider objects to, in sentences of ours. */
  error: string | null
  /** `project_id`, `client_email`, `private_key_id`, or `team_id`, `key_id`; and `key_sha256`. */
  shown: Record<string, string>
  stored_at: string
  accepted_at: string | null
  rejected_at: string | null
  /** The provider wants nothing until then. */
  paused_until: string | null
}

/** @param now for pauses that are over */
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
