/** Error responses for passwords, shared by all routes that accept one. */
import { tooManyRequests } from '../../platform/http/errors.ts'
import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS, type PasswordFault } from './credentials.ts'
import { PasswordsBusyError } from './passwords.ts'

const INSTEAD = 'Use several unrelated words, or let a password manager generate a password'

const MESSAGES: Record<PasswordFault, string> = {
  password_too_short: `A password must have at least ${PASSWORD_MIN_CHARS} characters`,
  password_too_long: `A password must have at most ${PASSWORD_MAX_CHARS} characters`,
  password_repetitive: `This password is easy to guess because it repeats itself. ${INSTEAD}`,
  password_sequence: `This password is easy to guess because its characters follow a sequence. ${INSTEAD}`,
  password_personal: `This password is easy to guess because it resembles your e-mail or the name of the product. ${INSTEAD}`,
  password_common: `This password is easy to guess because it resembles common passwords. ${INSTEAD}`,
}

export const passwordMessage = (fault: PasswordFault): string => MESSAGES[fault]

/** @throws AppError 429 for a PasswordsBusyError, and any other error unchanged */
export function refuseWhenBusy(error: unknown): never {
  if (error instanceof PasswordsBusyError) throw tooManyRequests(1)
  throw error
}
