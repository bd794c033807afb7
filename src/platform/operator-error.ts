/**
 * A fault that the person who runs the program can mend: a wrong setting, a full disk, a server that
 * is away. It is shown as its sentence; every other error is a fault of ours and shows its stack.
 */
export class OperatorError extends Error {}

/** The message of any error in one line; a connection tried at several addresses has none itself. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) {
    const reasons = error.errors.map(reasonOf)
    return [...new Set(reasons)].join(', ')
  }
  return error instanceof Error && error.message !== '' ? error.message : String(error)
}
