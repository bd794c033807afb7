/** Organizations, users, memberships, invitations and sign-in. */
import { createDeviceSignIns, type DeviceSignIns } from './device-sign-in/service.ts'
import { createEmailChanges, type EmailChanges } from './email-change/service.ts'
import {
  createInvitations,
  type InvitationOptions,
  type Invitations,
} from './invitations/service.ts'
import { createMemberships, type Memberships } from './members/service.ts'
import { createPasskeys, type Passkeys } from './passkeys/service.ts'
import { createPasswordResets, type PasswordResets } from './password-reset/service.ts'
import { createPasswords, type Passwords } from './passwords.ts'
import { createProfile, type Profile } from './profile/service.ts'
import {
  createSecondFactors,
  type SecondFactorOptions,
  type SecondFactors,
} from './second-factor/service.ts'
import { createOrganizations, type OrganizationOptions, type Organizations } from './service.ts'
import { createSessions, type SessionOptions, type Sessions } from './sessions/service.ts'
import { createSignInPolicies, type SignInPolicies } from './sign-in-policy/service.ts'
import {
  createSignInProviders,
  type ProviderOptions,
  type SignInProviders,
} from './single-sign-on/providers.ts'

export type { PasswordFault } from './credentials.ts'
export { deviceSignInRoutes } from './device-sign-in/console.ts'
export { sweepDeviceSignIns } from './device-sign-in/store.ts'
export { emailChangeRoutes } from './email-change/console.ts'
export { sweepEmailChanges } from './email-change/store.ts'
export { createFirstOrganization } from './first-organization.ts'
export { INVITATIONS_MAX } from './invitations/service.ts'
export { sweepInvitations } from './invitations/store.ts'
export { createAccountMails } from './mail/account-mails.ts'
export { createMailDispatcher } from './mail/dispatch.ts'
export { sweepChallenges } from './passkeys/store.ts'
export { passwordMessage } from './password-refusals.ts'
export { passwordResetRoutes } from './password-reset/console.ts'
export { sweepResets } from './password-reset/store.ts'
export { hasPlan } from './plan.ts'
export type * from './schema.ts'
export type { Place } from './service.ts'
export { createSignInAttempts, type SignInLimit } from './sessions/attempts.ts'
export type { ProvedFactor, SessionProvider } from './sessions/existing-sessions.ts'
export { sweepExpired } from './sessions/store.ts'
export type { TokenPair } from './sessions/tokens.ts'
export { sweepLogoutTokens } from './single-sign-on/back-channel.store.ts'
export { createProviderClient } from './single-sign-on/client.ts'
export { backChannelRoutes, singleSignOnRoutes } from './single-sign-on/console.ts'
export { createDomainProof } from './single-sign-on/domain-proof.ts'
export { createSignInDomains } from './single-sign-on/domains.ts'
export { organizationProviderRoutes } from './single-sign-on/organization.console.ts'
export type { Provider } from './single-sign-on/provider.ts'
export { isLimited, reachOf } from './single-sign-on/reach.ts'
export { createSingleSignOn } from './single-sign-on/sign-in.ts'
export { sweepFlows } from './single-sign-on/store.ts'
export type { DescribedAccount, Membership, Organization } from './store.ts'
export { type Plan, ROLES, type Role } from './tables.ts'

export type Accounts = Organizations &
  SignInPolicies &
  SignInProviders &
  Passkeys &
  Memberships &
  Invitations &
  PasswordResets &
  EmailChanges &
  DeviceSignIns &
  Profile &
  SecondFactors &
  Sessions

export type AccountOptions = Omit<
  SessionOptions & InvitationOptions & OrganizationOptions & SecondFactorOptions & ProviderOptions,
  'passwords' | 'checkCode'
> & { passwords?: Passwords | undefined }

export function createAccounts({
  passwords = createPasswords(),
  ...options
}: AccountOptions): Accounts {
  const secondFactors = createSecondFactors({ ...options, passwords })
  const { checkCode } = secondFactors
  const sessions = createSessions({ ...options, passwords, checkCode })
  return {
    ...createOrganizations({ ...options, passwords }),
    ...createSignInPolicies(options),
    ...createSignInProviders(options),
    ...createMemberships(options),
    ...createInvitations({ ...options, passwords }),
    ...createPasswordResets({ ...options, passwords }),
    ...createEmailChanges({ ...options, passwords }),
    ...createProfile({ ...options, passwords }),
    ...secondFactors,
    ...createPasskeys({ ...options, passwords }),
    ...sessions,
    ...createDeviceSignIns({ ...options, issueLongToken: sessions.issueLongToken }),
  }
}
export { organizationRoutes } from './console.ts'
export { emailsOf } from './emails.store.ts'
export { invitationRoutes } from './invitations/console.ts'
export { memberRoutes } from './members/console.ts'
export { findMembersByPart } from './members/find.store.ts'
export { passkeyRoutes, passkeySignInRoutes } from './passkeys/console.ts'
export type { Passwords } from './passwords.ts'
export { profileRoutes } from './profile/console.ts'
export { secondFactorRoutes } from './second-factor/console.ts'
export { signInRoutes } from './sessions/console.ts'
export { signInPolicyRoutes } from './sign-in-policy/console.ts'
