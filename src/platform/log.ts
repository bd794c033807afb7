/**
 * Structured logs on stderr, one wide line per unit of work. Secrets are redacted by name, so
 * that a field that carries one can be logged by mistake without harm.
 */
import { type Logger, pino, stdTimeFunctions } from 'pino'

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

export function createLog(level: string): Log {
  const paths = SECRET_FIELDS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      redact: { paths, censor: '[redacted]' },
    },
    pino.destination({ fd: 2, sync: true }),
  )
}
