/** Jobs of the push dispatcher: recipients, grouped by the batch in which they were claimed. */

import type { CredentialRef, ProviderCredential } from '../credentials/credential.ts'
import type { SendResult } from '../providers/port.ts'
import type { PushContent, PushProvider } from '../tables.ts'

/** An app at a provider, with everything that its recipients share. */
export type Channel = CredentialRef & {
  /** Undefined when the stored credential cannot be opened. */
  readonly credential: ProviderCredential | undefined
  /** Android package or bundle id; null when the app is no longer on that platform. */
  readonly app_name: string | null
  /** Name of the group in the dispatcher. */
  readonly group: string
  /** `group` as the list that the dispatcher expects. */
  readonly groups: readonly string[]
  /** True after a pause, until something is accepted. */
  is_probing: boolean
  /** Nothing has been accepted with this version of the credential yet. */
  is_untested: boolean
}

export type ClaimedMessage = {
  readonly id: string
  readonly content: PushContent
  readonly send_at: Date
  readonly give_up_at: Date
  /** If set, only these users may receive the message. */
  readonly users?: ReadonlySet<string>
}

export type BatchKey = {
  readonly org_id: string
  readonly message_id: string
  readonly provider: PushProvider
  readonly first_id: string
}

export type Batch = BatchKey & {
  readonly lease_id: string
  readonly channel: Channel
  /** Undefined when the message has been deleted. */
  readonly message: ClaimedMessage | undefined
  /** An earlier lease expired without an outcome. */
  readonly is_repeated: boolean
  /** Latest time to start sending before the lease could expire, on the clock of `performance.now()`. */
  readonly send_before_ms: number
  /** Ids of subscriptions whose outcome is not written yet. */
  readonly under_way: Set<string>
}

export type Job = {
  readonly batch: Batch
  readonly subscription_id: string
  /** Number of attempts before this one. */
  readonly attempts: number
  /** One of the earlier attempts ended without an answer. */
  readonly is_unsure: boolean
  /** Null when the subscription has been deleted or is no longer reachable. */
  readonly token: string | null
  readonly external_user_id: string | null
}

/** `not_sent`: the recipient failed without a request to the provider. */
export type Outcome = SendResult | { readonly kind: 'not_sent'; readonly reason: string }
