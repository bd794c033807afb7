/**
 * Finds the account that an e-mail and a password mean. Several accounts can have one e-mail, because
 * the link of an invitation does not prove it; the password selects one.
 */

import { isUuid } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { emailFault } from './credentials.ts'
import { type Passwords, SAME_EMAIL_MAX } from './passwords.ts'
import { type AccountHints, listAccountsOfEmail, type User } from './store.ts'

/**
 * @returns undefined for an unknown e-mail or a wrong password, after the same work in both cases
 * @throws PasswordsBusyError when too many sign-ins are waiting
 */
export async function findAccount(
  { db, passwords }: { db: Db; passwords: Passwords },
  email: string,
  password: string,
  { user_id, org_id }: AccountHints = {},
): Promise<User | undefined> {
  // A malformed address is not looked up, because PostgreSQL rejects some characters in a text.
  const isWellFormed = emailFault(email.trim()) === undefined
  const hints = { user_id, org_id: org_id !== undefined && isUuid(org_id) ? org_id : undefined }
  const accounts = isWellFormed ? await listAccountsOfEmail(db, email, SAME_EMAIL_MAX, hints) : []
  const hashes = accounts.map(({ password_hash }) => password_hash)
  return accounts[await passwords.find(password, hashes)]
}
