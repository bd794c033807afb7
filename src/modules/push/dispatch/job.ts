/** What is sent: recipients, in the batches they were claimed in. */
import type { PushContent, PushProvider } from '../../../platform/postgres/tables/push.ts'
import type { ProviderCredential } from '../credentials/credential.ts'
import type { SendResult } from '../providers/port.ts'

/** An app at a provider, with what its recipients have in common. */
export type Channel = {
  readonly application_id: string
  readonly provider: PushProvider
  readonly version: string
  /** Undefined when the stored one cannot be opened. */
  readonly credential: ProviderCredential | undefined
  /** Android package or bundle id; null when the app is no longer on that platform. */
  readonly app_name: string | null
  /** What it is called in the dispatcher, alone and as the list of all. */
  readonly group: string
  readonly groups: readonly string[]
  /** After a pause, until something is accepted. */
  is_probing: boolean
  /** Nothing was ever accepted with this version. */
  is_untested: boolean
}

export type ClaimedMessage = {
  readonly id: string
  readonly content: PushContent
  readonly send_at: Date
  readonly give_up_at: Date
  /** Users to whom alone it may go. */
  readonly users?: ReadonlySet<string>
}

export type BatchKey = {
  readonly message_id: string
  readonly provider: PushProvider
  readonly first_id: string
}

export type Batch = BatchKey & {
  readonly lease_id: string
  readonly channel: Channel
  /** Undefined when it was deleted meanwhile. */
  readonly message: ClaimedMessage | undefined
  /** Somebody had it before, and did not say what became of it. */
  readonly is_repeated: boolean
  /** Later its lease could end while it is sent; by `performance.now()`. */
  readonly send_before_ms: number
  /** Ids of subscriptions whose outcome is not written yet. */
  readonly under_way: Set<string>
}

export type Job = {
  readonly batch: Batch
  readonly subscription_id: string
  /** That were made before this one. */
  readonly attempts: number
  /** One of these ended without an answer. */
  readonly is_unsure: boolean
  /** Null when the subscription is gone or can no longer be reached. */
  readonly token: string | null
  readonly external_user_id: string | null
}

/** `not_sent`: the provider was not asked, and will not be. */
export type Outcome = SendResult | { readonly kind: 'not_sent'; readonly reason: string }
