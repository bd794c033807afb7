/** Organisations, users, memberships, invitations and sign-in. */
import {
  createInvitations,
  type InvitationOptions,
  type Invitations,
} from './invitations/service.ts'
import { createMemberships, type Memberships } from './members/service.ts'
import { createPasswords } from './passwords.ts'
import { createProfile, type Profile } from './profile/service.ts'
import { createOrganizations, type Organizations } from './service.ts'
import { createSessions, type SessionOptions, type Sessions } from './sessions/service.ts'

export type { CredentialFault } from './credentials.ts'
export { createFirstOrganization } from './first-organization.ts'
export {
  type AcceptRefused,
  INVITATIONS_MAX,
  type InviteRefused,
  type Joined,
} from './invitations/service.ts'
export { sweepInvitations } from './invitations/store.ts'
export type { MemberChange } from './members/service.ts'
export { type Members, requireAdmin, requireMember } from './membership.ts'
export { PasswordsBusyError } from './passwords.ts'
export { hasPlan } from './plan.ts'
export type { PasswordRefused } from './profile/service.ts'
export type * from './schema.ts'
export type { CreatedUser, PasswordSet, Refused } from './service.ts'
export type { AccessClaims } from './sessions/access-token.ts'
export type { TokenPair } from './sessions/service.ts'
export { sweepExpired } from './sessions/store.ts'
export type { Membership, Organization } from './store.ts'

export type Accounts = Organizations & Memberships & Invitations & Profile & Sessions

export type AccountOptions = Omit<SessionOptions & InvitationOptions, 'passwords'>

export function createAccounts(options: AccountOptions): Accounts {
  const passwords = createPasswords()
  return {
    ...createOrganizations({ ...options, passwords }),
    ...createMemberships(options),
    ...createInvitations({ ...options, passwords }),
    ...createProfile({ ...options, passwords }),
    ...createSessions({ ...options, passwords }),
  }
}
