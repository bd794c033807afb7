/** Organisations, users, memberships and sign-in. */
import { createPasswords } from './passwords.ts'
import { createOrganizations, type Organizations } from './service.ts'
import { createSessions, type SessionOptions, type Sessions } from './sessions/service.ts'

export type { CredentialFault } from './credentials.ts'
export { createFirstOrganization } from './first-organization.ts'
export { type Members, requireAdmin, requireMember } from './membership.ts'
export { PasswordsBusyError } from './passwords.ts'
export { hasPlan } from './plan.ts'
export type { CreatedUser, MemberChange, PasswordSet, Refused } from './service.ts'
export type { AccessClaims } from './sessions/access-token.ts'
export type { TokenPair } from './sessions/service.ts'
export { sweepExpired } from './sessions/store.ts'
export type { Member, Membership, Organization } from './store.ts'

export type Accounts = Organizations & Sessions

export function createAccounts(options: Omit<SessionOptions, 'passwords'>): Accounts {
  const passwords = createPasswords()
  return {
    ...createOrganizations({ ...options, passwords }),
    ...createSessions({ ...options, passwords }),
  }
}
