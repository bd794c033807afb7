/**
 * Structured logs on stderr, one wide line per unit of work. Fields that carry secrets are redacted
 * by name, so that logging one by mistake does no harm.
 */
import { type DestinationStream, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino'

export type Log = Logger

/** Every field name that can carry a secret. */
export const SECRET_FIELDS = [
  'authorization',
  'x-api-key',
  'cookie',
  'password',
  'key',
  'secret',
  'token',
  'access_token',
  'refresh_token',
  'client_secret',
  'private_key',
  'master_key',
  'new_password',
  'token_value',
  'qr_content',
  'enterprise_token',
]

/** @param destination by default standard error */
export function createLog(level: string, destination: DestinationStream = standardError()): Log {
  const paths = SECRET_FIELDS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      serializers: { err: errorFields, error: errorFields },
      redact: { paths, censor: '[redacted]' },
    },
    destination,
  )
}

/** Fields of a database error such as `detail` quote the affected row, so only these are logged. */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { type, message, stack } = stdSerializers.err(error)
  const { code, table, constraint } = error as Error & Record<string, unknown>
  return { type, message, code, table, constraint, stack }
}

/** Synchronous, so that the last lines before a crash are not lost. */
const standardError = (): DestinationStream => pino.destination({ fd: 2, sync: true })
