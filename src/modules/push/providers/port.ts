/** What a provider of push notifications is asked and answers, whichever it is. */

/** One notification for one device. */
type Content = {
  /** UUID of this message for this device: the same in every attempt. */
  readonly recipient_id: string
  readonly message_id: string
  /** The device's, as the app got it from the provider. */
  readonly token: string
  /** Without title and body the notification is not shown: it only reaches the app. */
  readonly title?: string
  readonly body?: string
  readonly data: Readonly<Record<string, string>>
  /** URL. */
  readonly image?: string
  readonly deep_link?: string
  /** How long it is kept for a device that is away, from this attempt on; 0: now or never. */
  readonly ttl_seconds?: number
  /** Of messages with the same one only the last is shown. */
  readonly collapse_key?: string
  readonly priority: 'high' | 'normal'
  readonly badge?: number
  readonly sound?: string
  /** Android only. */
  readonly channel_id?: string
}

export type AndroidMessage = Content & { readonly package_name: string }
export type AppleMessage = Content & { readonly bundle_id: string }
export type PushMessage = AndroidMessage | AppleMessage

/**
 * Reasons are codes of the provider or of ours; of a message that cannot be built it is a sentence that
 * names the field. None holds a token or a credential.
 */
export type SendResult =
  /** `provider_id` is null where the provider accepted and its answer was cut off. */
  | { readonly kind: 'accepted'; readonly provider_id: string | null }
  | {
      readonly kind: 'token_invalid'
      readonly reason: string
      /** A registration of the token after this instant makes the answer void (APNs 410). */
      readonly invalid_since?: Date
      /** It may be good in the other environment. */
      readonly is_wrong_environment?: boolean
    }
  | { readonly kind: 'message_rejected'; readonly reason: string }
  | {
      readonly kind: 'credential_rejected'
      readonly reason: string
      /** Sentences that may be shown to whoever stored the credential. */
      readonly safe_text: string
    }
  | {
      readonly kind: 'throttled'
      readonly scope: 'device' | 'application' | 'token_updates'
      readonly retry_after_s: number
    }
  | {
      readonly kind: 'retry'
      readonly reason: string
      readonly retry_after_s?: number
      /** The provider may have accepted it: another attempt may show it twice. */
      readonly is_ambiguous: boolean
    }

export type PushSender<Message extends PushMessage, Credential> = {
  /** Never rejects, and ends by the deadline of the sender. */
  send(
    message: Message,
    credential: Credential,
    options: { readonly signal: AbortSignal },
  ): Promise<SendResult>
  /** Requests under way at the provider. */
  inFlight(): number
  close(drainMs: number): Promise<void>
}

export const rejected = (reason: string): SendResult => ({ kind: 'message_rejected', reason })

export const retry = (
  reason: string,
  is_ambiguous: boolean,
  retry_after_s?: number,
): SendResult => ({
  kind: 'retry',
  reason,
  is_ambiguous,
  ...(retry_after_s !== undefined && { retry_after_s }),
})

export const throttled = (
  scope: Extract<SendResult, { kind: 'throttled' }>['scope'],
  retry_after_s: number,
): SendResult => ({ kind: 'throttled', scope, retry_after_s })

export const credentialRejected = (reason: string, safe_text: string): SendResult => ({
  kind: 'credential_rejected',
  reason,
  safe_text,
})
