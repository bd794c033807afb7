/**
 * Requests to a pool of HTTP/2 connections and their outcomes: answered, certainly not processed,
 * or ambiguous. Callers decide by the outcome whether to send again.
 */

export type Http2Request = {
  readonly method: string
  /** Starts with a slash. */
  readonly path: string
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** From the call to the end of the response, including the wait for a free stream. */
  readonly deadline_ms: number
  readonly signal?: AbortSignal | undefined
}

/**
 * `busy`: too many requests are waiting. `closed`: the pool is closed. `stopped`: the caller aborted.
 * `timeout`: no stream was free before the deadline. `unreachable`: there is no connection.
 * `refused`: the server reported that it did not process the request (RFC 9113 section 8.7).
 * `unsendable`: the request cannot be built.
 */
export type NotSentReason =
  | 'busy'
  | 'closed'
  | 'stopped'
  | 'timeout'
  | 'unreachable'
  | 'refused'
  | 'unsendable'

/** `broken`: the stream or its connection ended before the response. */
export type AmbiguousReason = 'timeout' | 'stopped' | 'broken'

export type Http2Outcome =
  | {
      readonly kind: 'answered'
      readonly status: number
      /** Names are in lower case; a repeated header has its first value. */
      readonly headers: Readonly<Record<string, string>>
      /** Up to {@link BODY_MAX_BYTES}. */
      readonly body: string
      /** Whether the body is complete: neither too long nor cut off. */
      readonly is_whole: boolean
    }
  /** The server certainly did not process the request. */
  | { readonly kind: 'not_sent'; readonly reason: NotSentReason }
  /** The server may have processed the request. */
  | { readonly kind: 'ambiguous'; readonly reason: AmbiguousReason }

export const BODY_MAX_BYTES = 65_536

export const notSent = (reason: NotSentReason): Http2Outcome => ({ kind: 'not_sent', reason })

export const ambiguous = (reason: AmbiguousReason): Http2Outcome => ({ kind: 'ambiguous', reason })
