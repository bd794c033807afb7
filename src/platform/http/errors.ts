/**
 * The error catalogue: every way in which a request can fail, with its status and public text
 * (specification, "Errors"). Under /v1 nothing but 200, 400, 401, 403, 404, 429 and 500 leaves.
 */
export type ErrorStatus = 400 | 401 | 403 | 404 | 429 | 500

export type ErrorBody = {
  success: false
  message: string
  code?: 'invalid_request'
  content?: Record<string, unknown>
}

/** Thrown by use cases and hooks, answered by the one error handler. */
export class AppError extends Error {
  readonly status: ErrorStatus
  readonly body: ErrorBody

  constructor(status: ErrorStatus, body: Omit<ErrorBody, 'success'>) {
    super(body.message)
    this.status = status
    this.body = { success: false, ...body }
  }
}

/** @param field path of the offending member: `email`, `items.3.quantity`, `body` for the whole */
export const invalidRequest = (field: string, message: string): AppError =>
  new AppError(400, { message, code: 'invalid_request', content: { field } })

export const missingKey = (): AppError => new AppError(401, { message: 'Missing X-API-Key header' })

/** The same for unknown, malformed and revoked keys, so that nothing can be learnt from it. */
export const invalidKey = (): AppError => new AppError(401, { message: 'Invalid API key' })

export const missingToken = (): AppError =>
  new AppError(401, { message: 'Missing Authorization bearer token' })

export const invalidToken = (): AppError => new AppError(401, { message: 'Invalid access token' })

export const forbidden = (message: string): AppError => new AppError(403, { message })

/** Also for what exists but belongs to another organisation: its existence is not revealed. */
export const notFound = (): AppError => new AppError(404, { message: 'Not found' })

export const tooManyRequests = (retryAfterSeconds: number): AppError =>
  new AppError(429, {
    message: 'Rate limit exceeded',
    content: { retry_after: retryAfterSeconds },
  })

/** What an engine that is away would have to answer. */
export const unavailable = (what: string): AppError =>
  new AppError(500, { message: `${what} cannot be read at the moment; try again shortly` })

export const serverError = (): AppError => new AppError(500, { message: 'Internal server error' })
