/** What is said about passwords, wherever one is chosen or checked. */
import { PasswordsBusyError } from '../../modules/accounts/index.ts'
import { tooManyRequests } from '../../platform/http/errors.ts'

export function passwordMessage(fault: 'password_too_short' | 'password_too_long'): string {
  return fault === 'password_too_short'
    ? 'A password has at least 12 characters'
    : 'A password has at most 256 characters'
}

/** @throws AppError 429 when too many are signing in, and else what was thrown */
export function refuseWhenBusy(error: unknown): never {
  if (error instanceof PasswordsBusyError) throw tooManyRequests(1)
  throw error
}
