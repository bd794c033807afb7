/**
 * Outcomes of a guarded request, with texts for customers: they explain what the customer can fix
 * and reveal nothing about addresses, resolvers or sockets of the service.
 */
import type { RefusalReason } from './target-url.ts'

export type FailureReason =
  | 'name_not_found'
  | 'dns_failed'
  | 'connection_refused'
  | 'unreachable'
  | 'connect_timeout'
  | 'certificate_expired'
  | 'certificate_name'
  | 'certificate_untrusted'
  | 'tls_failed'
  | 'connection_broken'
  | 'bad_answer'
  | 'timeout'
  | 'stopped'
  | 'unsendable'

export type Outcome =
  | {
      readonly kind: 'answered'
      /** Redirects are not followed, so this can be 3xx. */
      readonly status: number
      /** The first bytes as text, without NUL characters; empty when they are compressed. */
      readonly body_start: string
      readonly latency_ms: number
      /** The raw header, for `retryAfterSeconds`. */
      readonly retry_after: string | null
    }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly latency_ms: number }
  | { readonly kind: 'failed'; readonly reason: FailureReason; readonly latency_ms: number }

/** Each text continues "The URL …". */
export const REFUSAL_TEXTS: Readonly<Record<RefusalReason, string>> = {
  malformed: 'must be an absolute URL without spaces, backslashes or control characters',
  too_long: 'must have at most 2048 characters',
  not_https: 'must start with https://',
  credentials: 'must not contain a user name or a password',
  fragment: 'must not contain a fragment',
  odd_host: 'must name its host in the usual form',
  port: 'must use port 443, or one from 1024 that is not known for another service',
  not_public: 'must lead to the public internet',
}

export const FAILURE_TEXTS: Readonly<Record<FailureReason, string>> = {
  name_not_found: 'The host name has no address',
  dns_failed: 'The host name could not be resolved',
  connection_refused: 'The connection was refused',
  unreachable: 'The host could not be reached',
  connect_timeout: 'The connection was not established in time',
  certificate_expired: 'The certificate is not valid at this time',
  certificate_name: 'The certificate is for another host name',
  certificate_untrusted:
    'The certificate is not from a trusted authority, or its chain is incomplete',
  tls_failed: 'The TLS handshake failed',
  connection_broken: 'The connection ended before the answer was complete',
  bad_answer: 'The answer was not valid HTTP/1.1',
  timeout: 'There was no complete answer in time',
  stopped: 'The request was stopped',
  unsendable: 'The request could not be built',
}

/** Faults before anything was sent, after which another address of the host may work. */
export const isConnectFault = (reason: FailureReason): boolean =>
  reason === 'connection_refused' || reason === 'unreachable' || reason === 'connect_timeout'

export function failureOfPost(error: unknown): FailureReason {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const listed = BY_CODE[code]
  if (listed !== undefined) return listed
  if (CERTIFICATE_CODES.test(code)) return 'certificate_untrusted'
  if (/^(ERR_SSL_|ERR_TLS_|EPROTO)/.test(code)) return 'tls_failed'
  if (/^UND_ERR_(INVALID_ARG|REQ_CONTENT)/.test(code)) return 'unsendable'
  return /^(HPE_|UND_ERR_(HEADERS_OVERFLOW|RES_))/.test(code) ? 'bad_answer' : 'connection_broken'
}

const BY_CODE: Readonly<Record<string, FailureReason>> = {
  ECONNREFUSED: 'connection_refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EACCES: 'unreachable',
  EPERM: 'unreachable',
  ETIMEDOUT: 'connect_timeout',
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_name',
}

/** Node's names for OpenSSL's certificate verification errors (X509_V_ERR_…). */
const CERTIFICATE_CODES =
  /^(UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|CERT_|CRL_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|HOSTNAME_MISMATCH)/
