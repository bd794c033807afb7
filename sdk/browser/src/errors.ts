/** What is told of an error, whatever was thrown; and the errors that nobody caught. */
import { listen, type Stop } from './hooks.ts'
import type { RumEvent } from './types.ts'

type ErrorFacts = NonNullable<RumEvent['error']>

const MESSAGE_MAX = 1_000
const STACK_MAX = 6_000

/** Pages throw strings, objects and nothing at all. */
export function describeError(thrown: unknown): ErrorFacts {
  const { name, message, stack } = (Object(thrown) ?? {}) as Partial<Error>
  const facts: ErrorFacts = {
    message: cut(typeof message === 'string' ? message : textOf(thrown), MESSAGE_MAX),
  }
  if (typeof stack === 'string' && stack) facts.stack = cut(stack, STACK_MAX)
  if (typeof name === 'string' && name) facts.type = cut(name, 100)
  return facts
}

export function watchErrors(onError: (error: ErrorFacts) => void): Stop {
  const stops = [
    // With capture, failed images and scripts come along too; those are not errors of the code.
    listen<ErrorEvent>(window, 'error', ({ error, message, filename, lineno, colno }) => {
      if (!message) return
      const facts = error ? describeError(error) : { message: cut(message, MESSAGE_MAX) }
      if (!facts.stack && filename) facts.stack = `at ${filename}:${lineno}:${colno}`
      onError(facts)
    }),
    listen<PromiseRejectionEvent>(window, 'unhandledrejection', ({ reason }) =>
      onError(describeError(reason)),
    ),
  ]
  return () => stops.forEach((stop) => stop())
}

export const cut = (text: string, length: number): string => text.slice(0, length)

/** Whatever it is, in words. */
export function textOf(thrown: unknown): string {
  try {
    return typeof thrown === 'string' ? thrown : (JSON.stringify(thrown) ?? 'undefined')
  } catch {
    return 'unknown'
  }
}
