/** Validates the e-mail address and the password of a new account. */
import { type PasswordWeakness, weaknessOf } from './password-strength.ts'

export type PasswordFault = 'password_too_short' | 'password_too_long' | PasswordWeakness

/** NIST SP 800-63B prefers a minimum length, and a comparison with likely values, to composition rules. */
export const PASSWORD_MIN_CHARS = 12
export const PASSWORD_MAX_CHARS = 256
const EMAIL_MAX_CHARS = 254
const EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u

export function emailFault(email: string): 'email_invalid' | undefined {
  return email.length <= EMAIL_MAX_CHARS && EMAIL.test(email) ? undefined : 'email_invalid'
}

/** @param email of the account, which attackers try as a password */
export async function passwordFault(
  password: string,
  email: string,
): Promise<PasswordFault | undefined> {
  if (password.length < PASSWORD_MIN_CHARS) return 'password_too_short'
  if (password.length > PASSWORD_MAX_CHARS) return 'password_too_long'
  return await weaknessOf(password, email)
}
