/**
 * Interprets responses of FCM by their error code rather than their status
 * (https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode). Pure.
 */
import { retryAfterSeconds } from '../../../platform/net/retry-after.ts'
import { codeOf, cutOff, listIn, membersOf, type ProviderAnswer, parseJson } from './answer.ts'
import { credentialRejected, rejected, retry, type SendResult, throttled } from './port.ts'

/** Google's default pause after a 429 response without `Retry-After`. */
const QUOTA_PAUSE_S = 60

export function outcomeOfFcm(answer: ProviderAnswer, now: Date): SendResult {
  const { status } = answer
  const body = parseJson(answer.body)
  if (status >= 200 && status < 300) return accepted(answer, membersOf(body)['name'])
  const retryAfter = retryAfterSeconds(answer.headers['retry-after'] ?? null, now)
  const error = membersOf(membersOf(body)['error'])
  const code: string = fcmCodeIn(error) ?? ''
  if (!answer.is_whole && code === '') return cutOff(retryAfter)
  switch (code) {
    case 'INVALID_ARGUMENT':
      return isAboutToken(error) ? { kind: 'token_invalid', reason: code } : rejected(code)
    case 'UNREGISTERED':
    case 'SENDER_ID_MISMATCH':
      return { kind: 'token_invalid', reason: code }
    case 'QUOTA_EXCEEDED':
      return throttled(isAboutDevice(error) ? 'device' : 'application', retryAfter ?? QUOTA_PAUSE_S)
    case 'UNAVAILABLE':
    case 'INTERNAL':
      return retry(code, false, retryAfter)
    case 'THIRD_PARTY_AUTH_ERROR':
      return credentialRejected(code, TEXTS.third_party)
    default:
      return byStatus(status, (code || reasonIn(error)) ?? `HTTP_${status}`, retryAfter)
  }
}

const accepted = ({ is_whole }: ProviderAnswer, name: unknown): SendResult => {
  const isName =
    typeof name === 'string' && /^projects\/[^/\s]{1,200}\/messages\/\S{1,300}$/.test(name)
  if (isName) return { kind: 'accepted', provider_id: name }
  return is_whole ? retry('BAD_ANSWER', true) : { kind: 'accepted', provider_id: null }
}

function byStatus(status: number, reason: string, retryAfter: number | undefined): SendResult {
  if (status === 401) return credentialRejected(reason, TEXTS.unauthenticated)
  if (status === 403) return credentialRejected(reason, permissionText(reason))
  if (status === 429) return throttled('application', retryAfter ?? QUOTA_PAUSE_S)
  // After a timeout behind the gateway, the message may or may not have been accepted.
  if (status === 408 || status === 504) return retry(reason, true, retryAfter)
  return status >= 400 && status < 500 ? rejected(reason) : retry(reason, false, retryAfter)
}

/** Texts about rejected credentials. Google's own texts are not shown: they may repeat what was sent. */
export const TEXTS = {
  unauthenticated:
    'Google does not accept the access token of the service account. Check that the key has not been deleted, and the clock of this server.',
  permission:
    'The service account may not send messages for this project. Grant it the role Firebase Cloud Messaging API Admin, and check that the key belongs to the project of the app.',
  disabled:
    'The Firebase Cloud Messaging API is not enabled in the project of the service account.',
  third_party: 'Firebase has no valid certificate or key for the platform of this device.',
  grant:
    'Google does not accept the key of the service account. The key may have been deleted or disabled, or the clock of this server is wrong.',
  unreadable: 'The private key of the service account cannot be read.',
} as const

const permissionText = (reason: string): string =>
  reason === 'SERVICE_DISABLED' ? TEXTS.disabled : TEXTS.permission

type Members = Record<string, unknown>

const fcmCodeIn = (error: Members): string | undefined =>
  codeOf(detailIn(error, 'google.firebase.fcm.v1.FcmError')?.['errorCode'])

/** A reason such as SERVICE_DISABLED (google.rpc.ErrorInfo), otherwise the general status. */
const reasonIn = (error: Members): string | undefined =>
  codeOf(detailIn(error, 'google.rpc.ErrorInfo')?.['reason']) ?? codeOf(error['status'])

/**
 * INVALID_ARGUMENT can concern the message or the token. It concerns the token if all violations name it,
 * or if there are none and the error message mentions it. When in doubt, the device keeps its
 * subscription.
 */
function isAboutToken(error: Members): boolean {
  const violations = listIn(detailIn(error, 'google.rpc.BadRequest')?.['fieldViolations'])
  if (violations.length > 0) {
    return violations.every((each) => membersOf(each)['field'] === 'message.token')
  }
  return /registration token is not a valid/i.test(String(error['message']))
}

/** Whether a google.rpc.QuotaFailure is about the limit of one device rather than of the project. */
function isAboutDevice(error: Members): boolean {
  const violations = listIn(detailIn(error, 'google.rpc.QuotaFailure')?.['violations'])
  return violations
    .map(membersOf)
    .some(({ subject, description }) =>
      /\bdevice\b/i.test(`${String(subject)} ${String(description)}`),
    )
}

function detailIn(error: Members, type: string): Members | undefined {
  return listIn(error['details'])
    .map(membersOf)
    .find((detail) => detail['@type'] === `type.googleapis.com/${type}`)
}
