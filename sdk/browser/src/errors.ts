/** Describes thrown values of any type, and reports uncaught errors. */
import { listen, type Stop, stopAll } from './hooks.ts'
import type { RumEvent } from './types.ts'

type ErrorFacts = NonNullable<RumEvent['error']>

const MESSAGE_MAX = 1_000
const STACK_MAX = 6_000

/** Scripts throw not only errors but also strings, objects and undefined. */
export function describeError(thrown: unknown): ErrorFacts {
  const { name, message, stack } = (Object(thrown) ?? {}) as Partial<Error>
  const facts: ErrorFacts = {
    message: cut(typeof message === 'string' ? message : textOf(thrown), MESSAGE_MAX),
  }
  if (typeof stack === 'string' && stack) facts.stack = cut(stack, STACK_MAX)
  if (typeof name === 'string' && name) facts.type = cut(name, 100)
  return facts
}

export const watchErrors = (onError: (error: ErrorFacts) => void): Stop =>
  stopAll(
    // The capture phase includes images and scripts that failed to load, which are no script errors.
    listen<ErrorEvent>(window, 'error', ({ error, message, filename, lineno, colno }) => {
      if (!message) return
      const facts = error ? describeError(error) : { message: cut(message, MESSAGE_MAX) }
      if (!facts.stack && filename) facts.stack = `at ${filename}:${lineno}:${colno}`
      onError(facts)
    }),
    listen<PromiseRejectionEvent>(window, 'unhandledrejection', ({ reason }) =>
      onError(describeError(reason)),
    ),
  )

export const cut = (text: string, length: number): string => text.slice(0, length)

/** Converts a value of any type to text. */
export function textOf(thrown: unknown): string {
  try {
    return typeof thrown === 'string' ? thrown : (JSON.stringify(thrown) ?? 'undefined')
  } catch {
    return 'unknown'
  }
}
