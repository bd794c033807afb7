/**
 * Structured logs on stderr, one wide line per unit of work. Secrets are redacted by name, so
 * that a field that carries one can be logged by mistake without harm.
 */
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'

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
]

/** @param destination standard error, unless told otherwise */
export function createLog(level: string, destination: DestinationStream = standardError()): Log {
  const paths = SECRET_FIELDS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      redact: { paths, censor: '[redacted]' },
    },
    destination,
  )
}

/** Synchronous, so that the last lines before a crash are not lost. */
const standardError = (): DestinationStream => pino.destination({ fd: 2, sync: true })
