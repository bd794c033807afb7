/**
 * The answer of something outside that may be away.
 *
 * A look-up never throws: what could not be learnt is `unknown` with the class of the reason, and
 * callers give an unknown no weight (open point 6: a provider that is away never raises a score).
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
