/** What an e-mail address and a password must look like before an account is made with them. */

export type CredentialFault = 'email_invalid' | 'password_too_short' | 'password_too_long'

/** Lengths as in NIST SP 800-63B: length counts, composition rules do not help. */
export const PASSWORD_MIN_CHARS = 12
export const PASSWORD_MAX_CHARS = 256
const EMAIL_MAX_CHARS = 254
const EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u

export function emailFault(email: string): CredentialFault | undefined {
  return email.length <= EMAIL_MAX_CHARS && EMAIL.test(email) ? undefined : 'email_invalid'
}

export function passwordFault(password: string): CredentialFault | undefined {
  if (password.length < PASSWORD_MIN_CHARS) return 'password_too_short'
  return password.length > PASSWORD_MAX_CHARS ? 'password_too_long' : undefined
}
