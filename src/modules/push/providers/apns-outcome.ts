/**
 * Interprets responses of APNs by the reason in their body (Apple, "Handling notification responses from
 * APNs"). Pure.
 */
import { retryAfterSeconds } from '../../../platform/net/retry-after.ts'
import { codeOf, cutOff, membersOf, type ProviderAnswer, parseJson } from './answer.ts'
import { credentialRejected, rejected, retry, type SendResult, throttled } from './port.ts'

/** Pauses for rate limits of devices and provider tokens, for which Apple names no times. */
const DEVICE_PAUSE_S = 60
const UPDATES_PAUSE_S = 120

/** @param notificationId `apns-id` of the request */
export function outcomeOfApns(
  answer: ProviderAnswer,
  notificationId: string,
  now: Date,
): SendResult {
  const { status, headers } = answer
  if (status >= 200 && status < 300) {
    return { kind: 'accepted', provider_id: headers['apns-id'] ?? notificationId }
  }
  const body = membersOf(parseJson(answer.body))
  const reason = codeOf(body['reason'])
  const retryAfter = retryAfterSeconds(headers['retry-after'] ?? null, now)
  if (!answer.is_whole && reason === undefined) return cutOff(retryAfter)
  const classified = reason === undefined ? undefined : CLASSES.get(reason)
  return resultOf(classified ?? classOfStatus(status), reason ?? `HTTP_${status}`, {
    timestamp: body['timestamp'],
    retryAfter,
  })
}

type Class =
  | 'wrong_environment'
  | 'token'
  | 'token_since'
  | 'message'
  | 'topic'
  | 'credential'
  | 'device_limit'
  | 'update_limit'
  | 'application_limit'
  | 'unavailable'
  | 'unclear'

function resultOf(
  kind: Class,
  reason: string,
  { timestamp, retryAfter }: { timestamp: unknown; retryAfter: number | undefined },
): SendResult {
  switch (kind) {
    case 'wrong_environment':
      return { kind: 'token_invalid', reason, is_wrong_environment: true }
    case 'token':
      return { kind: 'token_invalid', reason }
    case 'token_since':
      return { kind: 'token_invalid', reason, ...sinceOf(timestamp) }
    case 'message':
      return rejected(reason)
    case 'topic':
      return credentialRejected(reason, TEXTS.topic)
    case 'credential':
      return credentialRejected(reason, CREDENTIAL_TEXTS.get(reason) ?? TEXTS.credential)
    case 'device_limit':
      return throttled('device', retryAfter ?? DEVICE_PAUSE_S)
    case 'update_limit':
      return throttled('token_updates', retryAfter ?? UPDATES_PAUSE_S)
    case 'application_limit':
      return throttled('application', retryAfter ?? DEVICE_PAUSE_S)
    case 'unavailable':
      return retry(reason, false, retryAfter)
    case 'unclear':
      return retry(reason, true, retryAfter)
  }
}

/** @param timestamp milliseconds since 1970; ignored beyond the range of a Date */
function sinceOf(timestamp: unknown): { invalid_since?: Date } {
  const isInstant = typeof timestamp === 'number' && timestamp > 0 && timestamp <= 8.64e15
  return isInstant ? { invalid_since: new Date(timestamp) } : {}
}

function classOfStatus(status: number): Class {
  if (status === 401 || status === 403) return 'credential'
  if (status === 410) return 'token_since'
  if (status === 429) return 'application_limit'
  if (status === 408 || status === 504) return 'unclear'
  return status >= 400 && status < 500 ? 'message' : 'unavailable'
}

const CLASSES: ReadonlyMap<string, Class> = new Map<string, Class>([
  ['BadDeviceToken', 'wrong_environment'],
  ['DeviceTokenNotForTopic', 'token'],
  ['Unregistered', 'token_since'],
  ['ExpiredToken', 'token_since'],

  ['BadCollapseId', 'message'],
  ['BadExpirationDate', 'message'],
  ['BadMessageId', 'message'],
  ['BadPriority', 'message'],
  ['DuplicateHeaders', 'message'],
  ['InvalidPushType', 'message'],
  ['MissingDeviceToken', 'message'],
  ['PayloadEmpty', 'message'],
  ['PayloadTooLarge', 'message'],
  ['BadPath', 'message'],
  ['MethodNotAllowed', 'message'],

  ['BadTopic', 'topic'],
  ['MissingTopic', 'topic'],
  ['TopicDisallowed', 'topic'],

  ['BadCertificate', 'credential'],
  ['BadCertificateEnvironment', 'credential'],
  ['BadEnvironmentKeyIdInToken', 'credential'],
  ['ExpiredProviderToken', 'credential'],
  ['Forbidden', 'credential'],
  ['InvalidProviderToken', 'credential'],
  ['InvalidSigningKey', 'credential'],
  ['MissingProviderToken', 'credential'],
  ['UnrelatedKeyIdInToken', 'credential'],

  ['TooManyRequests', 'device_limit'],
  ['TooManyProviderTokenUpdates', 'update_limit'],

  // The connection was idle for too long, which says nothing about the message.
  ['IdleTimeout', 'unavailable'],
  ['InternalServerError', 'unavailable'],
  ['ServiceUnavailable', 'unavailable'],
  ['Shutdown', 'unavailable'],
])

/** Whether a rejection concerns one app only, so that the same key may still send for other apps. */
export const isAboutTopic = (reason: string): boolean => CLASSES.get(reason) === 'topic'

/** Texts about rejected credentials that may be shown to users. */
export const TEXTS = {
  topic:
    'Apple does not allow this key to send to the bundle id. Check the bundle id, and that the key is enabled for it.',
  credential:
    'Apple does not accept this key. Check the Key ID and the Team ID, and that the key has not been revoked.',
  environment:
    'The key is for the other environment of Apple. Production and sandbox use separate keys.',
  expired:
    'Apple reports that the token signed with the key has expired. Check the clock of this server.',
  unreadable: 'The key cannot be read, or its Key ID or Team ID is malformed.',
} as const

const CREDENTIAL_TEXTS: ReadonlyMap<string, string> = new Map([
  ['BadEnvironmentKeyIdInToken', TEXTS.environment],
  ['BadCertificateEnvironment', TEXTS.environment],
  ['ExpiredProviderToken', TEXTS.expired],
])
