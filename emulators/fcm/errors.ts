/**
 * The errors of FCM (https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode). The error code
 * is in a detail of type `FcmError`, which is missing when Google's front end refuses a request before
 * it reaches FCM.
 */
import { ApiError, errorReply, internalError } from '../google-errors.ts'
import { jsonReply, type WireReply } from '../http2-wire.ts'

type Wording = { readonly code: number; readonly status: string; readonly message: string }

export const WORDINGS = {
  UNSPECIFIED_ERROR: { code: 500, status: 'UNKNOWN', message: 'Unknown error.' },
  INVALID_ARGUMENT: {
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'Request contains an invalid argument.',
  },
  UNREGISTERED: { code: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.' },
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
} as const satisfies Record<string, Wording>
export type FcmErrorCode = keyof typeof WORDINGS

const QUOTA_FAILURE = {
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ subject: 'project', description: 'Send requests per minute' }],
}

/** An error with an FcmError detail. */
export class FcmError extends Error {
  readonly error_code: FcmErrorCode
  readonly retry_after_s: number | undefined
  readonly details: readonly unknown[]

  constructor(
    error_code: FcmErrorCode,
    options: { message?: string; retry_after_s?: number | undefined; details?: unknown[] } = {},
  ) {
    super(options.message ?? WORDINGS[error_code].message)
    this.error_code = error_code
    this.retry_after_s = options.retry_after_s
    this.details = options.details ?? (error_code === 'QUOTA_EXCEEDED' ? [QUOTA_FAILURE] : [])
  }
}

/** An error of FCM that names a member of the message. @param field `message.android.ttl` */
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

/** An error of FCM without a member: about the token or the size. */
export const invalidArgument = (message: string): FcmError =>
  new FcmError('INVALID_ARGUMENT', { message })

export function replyOf(error: unknown): WireReply {
  if (error instanceof FcmError) return fcmReply(error)
  const { status, body } = error instanceof ApiError ? errorReply(error) : internalError(error)
  return jsonReply(status, body)
}

function fcmReply({ error_code, message, retry_after_s, details }: FcmError): WireReply {
  const { code, status } = WORDINGS[error_code]
  const detail = {
    '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
    errorCode: error_code,
  }
  return jsonReply(
    code,
    { error: { code, message, status, details: [detail, ...details] } },
    retry_after_s === undefined ? {} : { 'retry-after': String(retry_after_s) },
  )
}
