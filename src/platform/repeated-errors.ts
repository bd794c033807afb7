/**
 * Logs an error that repeats once, and a minute later how often it has occurred since, so that an outage
 * does not fill the log with the same stack.
 */
import type { Log } from './log.ts'

export type RepeatedErrors = {
  /** @param fields together with the message of the error, they decide what counts as the same */
  log(error: unknown, fields: Readonly<Record<string, string | undefined>>, message: string): void
}

const WINDOW_MS = 60_000
/** Limits the memory for errors that all differ; further ones are logged each time. */
const KINDS_MAX = 200

export function createRepeatedErrors(log: Log, windowMs = WINDOW_MS): RepeatedErrors {
  const repetitions = new Map<string, number>()
  const close = (key: string, fields: object, message: string) => {
    const times = repetitions.get(key) ?? 0
    repetitions.delete(key)
    if (times > 0)
      log.error({ ...fields, times }, `${message}, repeatedly: the same error as before`)
  }
  return {
    log: (error, fields, message) => {
      const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
      const key = JSON.stringify([message, fields, text])
      const times = repetitions.get(key)
      if (times !== undefined) {
        repetitions.set(key, times + 1)
        return
      }
      log.error({ err: error, ...fields }, message)
      if (repetitions.size >= KINDS_MAX) return
      repetitions.set(key, 0)
      setTimeout(close, windowMs, key, { ...fields, error: text }, message).unref()
    },
  }
}
