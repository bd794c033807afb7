/** Interface to the providers of push notifications: messages, results and senders. */

type Content = {
  /** UUID of this message for this device, the same in every attempt. */
  readonly recipient_id: string
  readonly message_id: string
  /** Device token that the app obtained from the provider. */
  readonly token: string
  /** Without title and body, the notification is delivered to the app without being shown. */
  readonly title?: string
  readonly body?: string
  readonly data: Readonly<Record<string, string>>
  /** URL of an image. */
  readonly image?: string
  readonly deep_link?: string
  /** Time for which the provider stores it for an offline device; 0 does not store it. */
  readonly ttl_seconds?: number
  /** A message replaces the previous one with the same key. */
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
 * A reason is a code of the provider or of Vigil; for a message that cannot be built, a sentence that
 * names the field. No reason contains a token or a credential.
 */
export type SendResult =
  /** `provider_id` is null if the provider accepted but its response was cut off. */
  | { readonly kind: 'accepted'; readonly provider_id: string | null }
  | {
      readonly kind: 'token_invalid'
      readonly reason: string
      /** The token is valid after all if it was registered after this time (APNs 410). */
      readonly invalid_since?: Date
      /** The token may be valid in the other environment. */
      readonly is_wrong_environment?: boolean
    }
  | { readonly kind: 'message_rejected'; readonly reason: string }
  | {
      readonly kind: 'credential_rejected'
      readonly reason: string
      /** Text that may be shown to users. */
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
      /** The provider may have accepted it, so another attempt may show it twice. */
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
