/**
 * Structured logs on stderr, one wide line per unit of work. Secrets are redacted by name, so
 * that a field that carries one can be logged by mistake without harm.
 */
import { type DestinationStream, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino'

export type Log = Logger

/** Every name under which a secret travels in this program. */
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

/** @param destination standard error, unless told otherwise */
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

/** Of an error of the database, `detail` and others quote the row that it is about. */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { type, message, stack } = stdSerializers.err(error)
  const { code, table, constraint } = error as Error & Record<string, unknown>
  return { type, message, code, table, constraint, stack }
}

/** Synchronous, so that the last lines before a crash are not lost. */
const standardError = (): DestinationStream => pino.destination({ fd: 2, sync: true })
