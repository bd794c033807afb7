/**
 * A fault that the operator can fix: a wrong setting, a full disk, an unreachable server. Only its
 * message is shown; any other error is a bug and is shown with its stack.
 */
export class OperatorError extends Error {}

/**
 * The message of any error in one line. An AggregateError, such as a connection attempt to several
 * addresses, has no message itself.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) {
    const reasons = error.errors.map(reasonOf)
    return [...new Set(reasons)].join(', ')
  }
  return error instanceof Error && error.message !== '' ? error.message : String(error)
}
