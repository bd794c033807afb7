/**
 * What is asked of a pool of HTTP/2 connections, and what became of it: answered, certainly not
 * carried out, or nobody can say. Whoever sends again decides by that.
 */

export type Http2Request = {
  readonly method: string
  /** From the slash on. */
  readonly path: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** From being asked to the end of the answer, with the wait for a free stream. */
  readonly deadline_ms: number
  readonly signal?: AbortSignal | undefined
}

/**
 * `busy`: too many wait already. `closed`: the pool is. `stopped`: by the caller's signal. `timeout`:
 * no stream was free until the deadline. `unreachable`: there is no connection. `refused`: the server
 * said that it did not process it (RFC 9113 section 8.7). `unsendable`: the request cannot be built.
 */
export type NotSentReason =
  | 'busy'
  | 'closed'
  | 'stopped'
  | 'timeout'
  | 'unreachable'
  | 'refused'
  | 'unsendable'

/** `broken`: the stream or its connection ended before the answer. */
export type AmbiguousReason = 'timeout' | 'stopped' | 'broken'

export type Http2Outcome =
  | {
      readonly kind: 'answered'
      readonly status: number
      /** Lower-case names; of a repeated header the first value. */
      readonly headers: Readonly<Record<string, string>>
      /** At most {@link BODY_MAX_BYTES}. */
      readonly body: string
      /** The body is complete: neither too long nor cut off. */
      readonly is_whole: boolean
    }
  /** Certainly not processed by the server. */
  | { readonly kind: 'not_sent'; readonly reason: NotSentReason }
  /** The server may have processed it. */
  | { readonly kind: 'ambiguous'; readonly reason: AmbiguousReason }

export const BODY_MAX_BYTES = 65_536

export const notSent = (reason: NotSentReason): Http2Outcome => ({ kind: 'not_sent', reason })

export const ambiguous = (reason: AmbiguousReason): Http2Outcome => ({ kind: 'ambiguous', reason })
