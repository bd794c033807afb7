/**
 * The error catalog: every way in which a request can fail, with its status and public message
 * (specification, "Errors"). Under /v1 the only statuses are 200, 400, 401, 403, 404, 429 and 500.
 */
export type ErrorStatus = 400 | 401 | 403 | 404 | 429 | 500

export type ErrorBody = {
  success: false
  message: string
  code?: 'invalid_request'
  content?: Record<string, unknown>
}

/** Thrown by use cases and hooks, and turned into a response by the error handler. */
export class AppError extends Error {
  readonly status: ErrorStatus
  readonly body: ErrorBody
  /** The kind of credential that a 401 requires (RFC 9110, section 11.6.1). */
  readonly scheme: 'ApiKey' | 'Bearer'
  /** Value of the header Retry-After. */
  readonly retry_after_seconds: number | undefined

  /** @param headers what is sent in headers only, except that 429 also has it in the body */
  constructor(
    status: ErrorStatus,
    body: Omit<ErrorBody, 'success'>,
    headers: Partial<Pick<AppError, 'scheme' | 'retry_after_seconds'>> = {},
  ) {
    super(body.message)
    this.status = status
    this.body = { success: false, ...body }
    this.scheme = headers.scheme ?? 'Bearer'
    const inBody = body.content?.['retry_after']
    this.retry_after_seconds = typeof inBody === 'number' ? inBody : headers.retry_after_seconds
  }
}

/** Servers that were restarted respond within this time as a rule. */
const OUTAGE_RETRY_SECONDS = 5

/** Names in a request can be as long as its body, and are repeated in its refusal only in part. */
const ECHO_MAX_CHARS = 200

/**
 * @param field path of the offending member: `email`, `items.3.quantity`, or `body` as a whole
 * @param message may begin with the field, and is shortened with it
 */
export function invalidRequest(field: string, message: string): AppError {
  const short = shortened(field)
  const text = message.startsWith(field) ? short + message.slice(field.length) : message
  return new AppError(400, { message: text, code: 'invalid_request', content: { field: short } })
}

export const shortened = (text: string): string =>
  text.length <= ECHO_MAX_CHARS ? text : `${text.slice(0, ECHO_MAX_CHARS).toWellFormed()}…`

export const missingKey = (): AppError =>
  new AppError(401, { message: 'Missing X-API-Key header' }, { scheme: 'ApiKey' })

/** The same for unknown, malformed and revoked keys, so that it reveals nothing. */
export const invalidKey = (): AppError =>
  new AppError(401, { message: 'Invalid API key' }, { scheme: 'ApiKey' })

export const missingToken = (): AppError =>
  new AppError(401, { message: 'Missing Authorization bearer token' })

export const invalidToken = (): AppError => new AppError(401, { message: 'Invalid access token' })

export const missingPortalLink = (): AppError =>
  new AppError(401, { message: 'Missing portal link' })

/** The same for unknown, expired and ended links, and for those of a portal that was deleted. */
export const invalidPortalLink = (): AppError =>
  new AppError(401, { message: 'This link is no longer valid' })

export const forbidden = (message: string): AppError => new AppError(403, { message })

/** Also for records of another organization, whose existence is not revealed. */
export const notFound = (): AppError => new AppError(404, { message: 'Not found' })

export const tooManyRequests = (retryAfterSeconds: number): AppError =>
  new AppError(429, { message: 'Rate limit exceeded', content: { retry_after: retryAfterSeconds } })

/** The answer when the engine with the data is unavailable. */
export const unavailable = (what: string): AppError =>
  new AppError(
    500,
    { message: `${what} cannot be read at the moment; try again shortly` },
    { retry_after_seconds: OUTAGE_RETRY_SECONDS },
  )

export const serverError = (): AppError => new AppError(500, { message: 'Internal server error' })

/** The answer while the database cannot be reached or refuses writes (OP-150). */
export const databaseUnavailable = (): AppError =>
  new AppError(
    500,
    { message: 'Internal server error' },
    { retry_after_seconds: OUTAGE_RETRY_SECONDS },
  )
