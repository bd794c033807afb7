/** Credentials as returned by the console API: the description and status of a key, never the key. */
import type { CredentialStatus, PushProvider } from '../tables.ts'

/** Specification, "Push provider credential"; `Active` is OP-34. */
export const STATUS_TEXTS = {
  test_required: 'Stored, test required',
  active: 'Active',
  needs_attention: 'Needs attention',
} as const satisfies Record<CredentialStatus, string>

export type ShownCredential = {
  provider: PushProvider
  status: (typeof STATUS_TEXTS)[CredentialStatus]
  /** Why the provider rejected the credential, in our own words. */
  error: string | null
  /** `project_id`, `client_email`, `private_key_id`, or `team_id`, `key_id`; and `key_sha256`. */
  shown: Record<string, string>
  stored_at: string
  accepted_at: string | null
  rejected_at: string | null
  /** The provider asked not to be sent anything until then. */
  paused_until: string | null
}

export type TestSendResult = {
  accepted: boolean
  /** Null when accepted; otherwise a code of the provider or of Vigil, or a sentence. */
  reason: string | null
  /** Id that the provider assigned to the notification. */
  provider_id: string | null
  /** State of the credential after the test. */
  credential: ShownCredential
}
