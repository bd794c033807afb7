/** Sorts database errors into the few kinds that call for different actions of an operator. */

export const ERROR_KINDS = [
  'connection',
  'pool_timeout',
  'too_many_connections',
  'disk_full',
  'read_only',
  'io',
  'corruption',
  'resources',
  'timeout',
  'conflict',
  'statement',
  'other',
] as const

export type ErrorKind = (typeof ERROR_KINDS)[number]

/** SQLSTATE codes (PostgreSQL, appendix A); the first expression that matches decides. */
const CODES: readonly (readonly [RegExp, ErrorKind])[] = [
  [/^53300$/, 'too_many_connections'],
  [/^53100$/, 'disk_full'],
  [/^53/, 'resources'],
  [/^25006$/, 'read_only'],
  [/^58/, 'io'],
  [/^XX00[12]$/, 'corruption'],
  [/^(57014|55P03|25P0[34])$/, 'timeout'],
  [
    /^(08|57P0|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT)/,
    'connection',
  ],
  [/^40/, 'conflict'],
  [/^(21|22|23|44)/, 'statement'],
]
/** The message of pg-pool when no connection was free in time, and those of pg when one is gone. */
const POOL_TIMEOUT = /^timeout exceeded when trying to connect/
/** Of PgBouncer, which uses one code for many errors. */
const POOLER_FULL = /^no more connections allowed/
const STATEMENT_TIMEOUT = /^Query read timeout/
const GONE = /^(Connection terminated|Client has encountered a connection error|Client was closed)/

/** @returns undefined for an error that only follows from an earlier one of its transaction */
export function errorKindOf(error: unknown): ErrorKind | undefined {
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (code === '25P02') return undefined
  if (POOLER_FULL.test(String(message))) return 'too_many_connections'
  if (typeof code === 'string') return CODES.find(([codes]) => codes.test(code))?.[1] ?? 'other'
  const text = String(message)
  if (POOL_TIMEOUT.test(text)) return 'pool_timeout'
  if (STATEMENT_TIMEOUT.test(text)) return 'timeout'
  return GONE.test(text) ? 'connection' : 'other'
}
