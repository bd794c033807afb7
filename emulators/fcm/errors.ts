/**
 * Refusals as FCM words them (https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode): the code that
 * counts is in a detail of type `FcmError`; what Google's front refuses before FCM sees it has none.
 */
import { ApiError, errorReply } from '../android-management/errors.ts'
import { json } from '../control-routes.ts'
import type { WireReply } from '../http2-wire.ts'
import type { FcmErrorCode } from './control-schema.ts'

type Wording = { readonly code: number; readonly status: string; readonly message: string }

const WORDINGS: Readonly<Record<FcmErrorCode, Wording>> = {
  UNSPECIFIED_ERROR: { code: 500, status: 'UNKNOWN', message: 'Unknown error.' },
  INVALID_ARGUMENT: {
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'Request contains an invalid argument.',
  },
  UNREGISTERED: {
    code: 404,
    status: 'NOT_FOUND',
    message: 'Requested entity was not found.',
  },
  SENDER_ID_MISMATCH: { code: 403, status: 'PERMISSION_DENIED', message: 'SenderId mismatch' },
  QUOTA_EXCEEDED: {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    message:
      "Quota exceeded for quota metric 'Send requests' and limit 'Send requests per minute' of service 'fcm.googleapis.com'.",
  },
  UNAVAILABLE: {
    code: 503,
    status: 'UNAVAILABLE',
    message: 'The service is currently unavailable.',
  },
  INTERNAL: { code: 500, status: 'INTERNAL', message: 'Internal error encountered.' },
  THIRD_PARTY_AUTH_ERROR: {
    code: 401,
    status: 'UNAUTHENTICATED',
    message: 'Auth error from APNS or Web Push Service',
  },
}

const QUOTA_FAILURE = {
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ subject: 'project', description: 'Send requests per minute' }],
}

/** A refusal with its FcmError detail. */
export class FcmError extends Error {
  readonly error_code: FcmErrorCode
  readonly retry_after_s: number | undefined
  readonly details: readonly unknown[]

  constructor(
    error_code: FcmErrorCode,
    told: { message?: string; retry_after_s?: number | undefined; details?: unknown[] } = {},
  ) {
    super(told.message ?? WORDINGS[error_code].message)
    this.error_code = error_code
    this.retry_after_s = told.retry_after_s
    this.details = told.details ?? (error_code === 'QUOTA_EXCEEDED' ? [QUOTA_FAILURE] : [])
  }
}

/** FCM's own complaint about a member of the message. @param field `message.android.ttl` */
export const invalidField = (field: string, message: string): FcmError =>
  new FcmError('INVALID_ARGUMENT', {
    message,
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field, description: message }],
      },
    ],
  })

/** FCM's own complaint without a member: of the token, and of the size. */
export const invalidArgument = (message: string): FcmError =>
  new FcmError('INVALID_ARGUMENT', { message })

export function replyOf(error: unknown): WireReply {
  if (error instanceof FcmError) return fcmReply(error)
  if (error instanceof ApiError) {
    const { status, body } = errorReply(error)
    return json(status, body)
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return json(500, { error: { code: 500, message, status: 'INTERNAL' } })
}

function fcmReply({ error_code, message, retry_after_s, details }: FcmError): WireReply {
  const { code, status } = WORDINGS[error_code]
  const detail = {
    '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
    errorCode: error_code,
  }
  return json(
    code,
    { error: { code, message, status, details: [detail, ...details] } },
    retry_after_s === undefined ? {} : { 'retry-after': String(retry_after_s) },
  )
}
