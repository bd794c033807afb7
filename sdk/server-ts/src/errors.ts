/** The error of every call that has no result. */

export type ErrorDetails = {
  operation: string
  /** HTTP status, undefined if there was no response. */
  status?: number | undefined
  /** `code` of the response. */
  code?: string | undefined
  /** `content` of the response. */
  content?: Record<string, unknown> | undefined
  /** Number of requests that were sent. */
  attempts: number
  may_have_succeeded: boolean
  cause?: unknown
}

export class VigilError extends Error {
  override readonly name = 'VigilError'
  readonly operation: string
  readonly status: number | undefined
  readonly code: string | undefined
  readonly content: Record<string, unknown>
  readonly attempts: number
  /** Whether the service may have carried the request out, because no attempt was certainly refused. */
  readonly may_have_succeeded: boolean
  /** In a helper for lists: the index of the first element without a result. */
  index: number | undefined

  constructor(message: string, details: ErrorDetails) {
    super(message, { cause: details.cause })
    this.operation = details.operation
    this.status = details.status
    this.code = details.code
    this.content = details.content ?? {}
    this.attempts = details.attempts
    this.may_have_succeeded = details.may_have_succeeded
  }

  /** The field of the request that a 400 names. */
  get field(): string | undefined {
    const { field } = this.content
    return typeof field === 'string' ? field : undefined
  }

  /** Seconds after which a 429 permits another request. */
  get retry_after(): number | undefined {
    const { retry_after } = this.content
    return typeof retry_after === 'number' ? retry_after : undefined
  }
}
