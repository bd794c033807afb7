/**
 * The result of a look-up at an external service, which may be unavailable.
 *
 * A look-up never throws: a failure is `unknown` with the class of its reason, and callers give an
 * unknown no weight (OP-6: an unavailable provider never raises a score).
 */
export type LookupFailure =
  | 'timeout'
  | 'unreachable'
  | 'rate_limited'
  | 'overloaded'
  | 'refused'
  | 'server_error'
  | 'bad_answer'
  | 'not_configured'
  | 'not_applicable'

export type Lookup<T> =
  | { readonly known: true; readonly value: T }
  | { readonly known: false; readonly reason: LookupFailure }

export const known = <T>(value: T): Lookup<T> => ({ known: true, value })

export const unknown = (reason: LookupFailure): Lookup<never> => ({ known: false, reason })
