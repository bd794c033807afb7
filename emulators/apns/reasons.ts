/**
 * The reasons of APNs with their status codes
 * (https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
 */
export const REASONS = {
  BadCollapseId: 400,
  BadDeviceToken: 400,
  BadExpirationDate: 400,
  BadMessageId: 400,
  BadPriority: 400,
  BadTopic: 400,
  DeviceTokenNotForTopic: 400,
  DuplicateHeaders: 400,
  IdleTimeout: 400,
  InvalidPushType: 400,
  MissingDeviceToken: 400,
  MissingTopic: 400,
  PayloadEmpty: 400,
  TopicDisallowed: 400,
  BadCertificate: 403,
  BadCertificateEnvironment: 403,
  BadEnvironmentKeyIdInToken: 403,
  ExpiredProviderToken: 403,
  Forbidden: 403,
  InvalidProviderToken: 403,
  InvalidSigningKey: 403,
  MissingProviderToken: 403,
  UnrelatedKeyIdInToken: 403,
  BadPath: 404,
  MethodNotAllowed: 405,
  ExpiredToken: 410,
  Unregistered: 410,
  PayloadTooLarge: 413,
  TooManyProviderTokenUpdates: 429,
  TooManyRequests: 429,
  InternalServerError: 500,
  ServiceUnavailable: 503,
  Shutdown: 503,
} as const

export type ApnsReason = keyof typeof REASONS

export class ApnsError extends Error {
  readonly reason: ApnsReason
  /** Time since which the token is invalid; for status 410 only. */
  readonly timestamp_ms: number | undefined
  readonly retry_after_s: number | undefined

  constructor(
    reason: ApnsReason,
    options: { timestamp_ms?: number | undefined; retry_after_s?: number | undefined } = {},
  ) {
    super(reason)
    this.reason = reason
    this.timestamp_ms = options.timestamp_ms
    this.retry_after_s = options.retry_after_s
  }
}
