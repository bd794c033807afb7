/** The words of push: states, providers, and what reasons mean. */
import type { ShownCredential } from '../../../../src/modules/push/credentials/schema.ts'
import type {
  MessageStatus,
  PushProvider,
  ShownStatus,
} from '../../../../src/modules/push/messages/reading/schema.ts'
import { Badge, type Tone } from '../../components/index.ts'

export const PROVIDER_NAMES: Record<PushProvider, string> = {
  fcm: 'FCM (Android)',
  apns: 'APNs (iOS)',
}

const MESSAGE_TONES: Record<MessageStatus, Tone> = {
  scheduled: 'info',
  queued: 'info',
  sending: 'info',
  sent: 'good',
  partially_failed: 'warn',
  failed: 'bad',
  cancelled: 'neutral',
}

const MESSAGE_MEANINGS: Record<MessageStatus, string> = {
  scheduled: 'Its time has not come.',
  queued: 'Recipients are about to be made.',
  sending: 'Recipients are there, and being sent to.',
  sent: 'Done; nothing failed. Also when there was nobody to send to.',
  partially_failed: 'Done; some were accepted, some failed.',
  failed: 'Done; none was accepted.',
  cancelled: 'Somebody cancelled it, or its application was deleted.',
}

export function MessageBadge({ status }: { status: MessageStatus }) {
  return (
    <span title={MESSAGE_MEANINGS[status]}>
      <Badge tone={MESSAGE_TONES[status]}>{status.replace('_', ' ')}</Badge>
    </span>
  )
}

export const meaningOf = (status: MessageStatus): string => MESSAGE_MEANINGS[status]

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

/** Those of Vigil and the usual ones of the providers (docs/push.md, "When it fails"). */
const REASONS: Readonly<Record<string, string>> = {
  no_credential: 'There is no key for the provider of this device.',
  not_configured: 'The configuration has no name for its platform.',
  unreachable:
    'The permission was denied, the token found dead, or the subscription deleted meanwhile.',
  signed_out: 'The device is no longer that of the user who was meant.',
  expired: 'Nobody accepted it before its time was over.',
  credential_rejected: 'Its time was over while the credential needed attention.',
  wrong_environment:
    'APNs does not know the token: usually a build from Xcode in a live application, or the other way round.',
  MalformedToken: 'The token cannot be one of Apple’s.',
  device_throttled: 'The provider wants less for this device.',
  no_answer: 'Two attempts ended without an answer; it may have arrived.',
  message_deleted: 'The message is not there any more.',
  token_moved: 'Another subscription has this token now.',
  UNREGISTERED: 'The app is not on this device any more.',
  Unregistered: 'The app is not on this device any more.',
  ExpiredToken: 'The token is not good any more.',
  INVALID_ARGUMENT: 'Google does not take the token or the message as it is.',
  SENDER_ID_MISMATCH: 'The token belongs to another Firebase project.',
  BadDeviceToken: 'Apple does not know this token in this environment.',
  DeviceTokenNotForTopic: 'The token belongs to another app.',
  PayloadTooLarge: 'The notification is too long for Apple.',
  InvalidProviderToken: 'Apple does not accept this key.',
  THIRD_PARTY_AUTH_ERROR: 'Google does not accept this service account.',
  QUOTA_EXCEEDED: 'The provider wants fewer notifications.',
  throttled_app: 'The provider wants fewer notifications of this application for a while.',
  throttled_device: 'The provider wants fewer notifications for this device.',
}

/** @returns undefined where the reason is a sentence itself, or nobody wrote one about it */
export const reasonWords = (reason: string | null): string | undefined =>
  reason !== null && Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined

export function Reason({ reason }: { reason: string | null }) {
  if (reason === null) return <span class="muted">–</span>
  const words = reasonWords(reason)
  return words === undefined ? (
    <>{reason}</>
  ) : (
    <>
      {words} <code class="muted">{reason}</code>
    </>
  )
}
