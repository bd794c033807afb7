/** What people see of credentials: which key it is and how it fares, never the key. */
import type { CredentialStatus, PushProvider } from '../../../platform/postgres/tables/push.ts'

/** Specification, "Push provider credential"; `Active` is OP-34. */
export const STATUS_TEXTS = {
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

export type TestSendResult = {
  accepted: boolean
  /** Null when it was accepted; else a code of the provider or of ours, or a sentence. */
  reason: string | null
  /** The name that the provider gave the notification. */
  provider_id: string | null
  /** After this. */
  credential: ShownCredential
}
