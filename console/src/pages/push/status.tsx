import type { ShownCredential } from '../../../../src/modules/push/credentials/schema.ts'
import type {
  MessageStatus,
  PushProvider,
  ShownMessage,
  ShownStatus,
} from '../../../../src/modules/push/messages/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { Badge, type Tone, wordsOf } from '../../components/index.ts'

export const PROVIDER_NAMES: Record<PushProvider, string> = {
  fcm: 'FCM (Android)',
  apns: 'APNs (iOS)',
}

/** Nouns for the recipients of messages that are not sent to all devices. */
export const TARGET_NAMES = { external_user_ids: 'users', subscription_ids: 'subscriptions' }

const MESSAGE_TONES: Record<MessageStatus, Tone> = {
  scheduled: 'info',
  queued: 'info',
  sending: 'info',
  sent: 'good',
  partially_failed: 'warn',
  failed: 'bad',
  cancelled: 'neutral',
}

export const MESSAGE_MEANINGS: Record<MessageStatus, string> = {
  scheduled: 'Waiting for the scheduled time.',
  queued: 'Waiting to determine recipients.',
  sending: 'Being sent to the recipients.',
  sent: 'Completed without failures.',
  partially_failed: 'Completed. Some recipients failed.',
  failed: 'Completed. All recipients failed.',
  cancelled: 'Canceled by a member, or because the application was deleted.',
}

export const MessageBadge = ({ status }: { status: MessageStatus }) => (
  <span title={MESSAGE_MEANINGS[status]}>
    <Badge tone={MESSAGE_TONES[status]}>{wordsOf(status)}</Badge>
  </span>
)

const RECIPIENT_TONES: Record<ShownStatus, Tone> = {
  pending: 'info',
  accepted: 'good',
  failed: 'bad',
  cancelled: 'neutral',
}

export const RecipientBadge = ({ status }: { status: ShownStatus }) => (
  <Badge tone={RECIPIENT_TONES[status]}>{status}</Badge>
)

const CREDENTIAL_TONES: Record<ShownCredential['status'], Tone> = {
  'Stored, test required': 'warn',
  Active: 'good',
  'Needs attention': 'bad',
}

export const CredentialBadge = ({ status }: Pick<ShownCredential, 'status'>) => (
  <Badge tone={CREDENTIAL_TONES[status]}>{status}</Badge>
)

/** Reasons of Vigil and common ones of the providers (docs/push.md). */
const REASONS: Readonly<Record<string, string>> = {
  no_credential: 'No credential for the provider of this device.',
  not_configured: 'The configuration has no identifier for this platform.',
  unreachable: 'Permission denied, token invalid, or subscription deleted.',
  signed_out: 'The device no longer belongs to the targeted user.',
  expired: 'Not accepted before the time to live ended.',
  credential_rejected: 'The time to live ended while the credential needed attention.',
  wrong_environment:
    'APNs does not know the token. Usually a development build in a live application, or the reverse.',
  MalformedToken: 'Not a valid APNs token.',
  device_throttled: 'The provider is rate limiting this device.',
  no_answer: 'Two attempts ended without a response. The notification may have arrived.',
  message_deleted: 'The message was deleted.',
  token_moved: 'Another subscription now uses this token.',
  UNREGISTERED: 'The app is no longer installed on this device.',
  Unregistered: 'The app is no longer installed on this device.',
  ExpiredToken: 'The token has expired.',
  INVALID_ARGUMENT: 'Google rejected the token or the message as invalid.',
  SENDER_ID_MISMATCH: 'The token belongs to another Firebase project.',
  BadDeviceToken: 'Apple does not know this token in this environment.',
  DeviceTokenNotForTopic: 'The token belongs to another app.',
  PayloadTooLarge: 'The notification exceeds Apple’s size limit.',
  InvalidProviderToken: 'Apple rejected this key.',
  THIRD_PARTY_AUTH_ERROR: 'Google rejected this service account.',
  QUOTA_EXCEEDED: 'The provider’s rate limit was reached.',
  throttled_app: 'The provider is rate limiting this application.',
  throttled_device: 'The provider is rate limiting this device.',
}

/** @returns undefined when the reason is a sentence itself or unknown */
export const reasonText = (reason: string | null): string | undefined =>
  reason !== null && Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined

export function Reason({ reason }: { reason: string | null }) {
  if (reason === null) return <span class="muted">–</span>
  const text = reasonText(reason)
  return text === undefined ? (
    <>{reason}</>
  ) : (
    <>
      {text} <code class="muted">{reason}</code>
    </>
  )
}

export const partsOf = ({ accepted, failed, pending, cancelled }: Answer<ShownMessage>) => [
  { label: 'accepted', value: accepted, tone: 'good' as const },
  { label: 'failed', value: failed, tone: 'bad' as const },
  { label: 'pending', value: pending, tone: 'info' as const },
  { label: 'canceled', value: cancelled, tone: 'neutral' as const },
]
