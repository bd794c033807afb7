/** Two errors and whether a developer would work on them as one bug. */
import type { ErrorFacts } from '../../../src/modules/error-groups/index.ts'

export type ErrorPair = {
  name: string
  is_same: boolean
  first: ErrorFacts
  second: ErrorFacts
}

export const same = (name: string, first: ErrorFacts, second: ErrorFacts): ErrorPair => ({
  name,
  is_same: true,
  first,
  second,
})

export const different = (name: string, first: ErrorFacts, second: ErrorFacts): ErrorPair => ({
  name,
  is_same: false,
  first,
  second,
})

/** An error with a stack whose lines are given one by one. */
export const thrown = (type: string, message: string, lines: readonly string[]): ErrorFacts => ({
  type,
  message,
  stack: lines.join('\n'),
})
