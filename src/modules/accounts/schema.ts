/** Responses of the console about organizations, members, invitations and sessions, with ISO 8601 times. */
import type { Plan, RequiredProvider, Role } from './tables.ts'

export type OrganizationDetails = { id: string; name: string; plan: Plan; created_at: string }

export type Member = {
  user_id: string
  email: string
  role: Role
  created_at: Date
  has_second_factor: boolean
}

/** How members of an organization have to sign in. */
export type SignInPolicy = { requires_second_factor: boolean }

/** The OpenID Connect provider of an organization. The client secret is never returned. */
export type SignInProvider = {
  issuer: string
  client_id: string
  scopes: string
  /** Empty for all. */
  email_domains: string[]
  /** The claim with the groups of a person; null leaves roles as they are. */
  role_claim: string | null
  roles: { group: string; role: Role }[]
  /** Null refuses people without a group that has a role. */
  default_role: Role | null
  /** Whether every sign-in there counts as one with a second factor. */
  trusts_factor: boolean
  /** When a sign-in was last tested with these values. */
  tested_at: string | null
}

/** @property installation name of the provider of the installation */
export type SingleSignOnState = {
  provider: SignInProvider | null
  required_provider: RequiredProvider | null
  break_glass_user_id: string | null
  domains: string[]
  /** Text of the TXT record at `_vigil.<domain>` that proves a domain. */
  domain_record: string
  redirect_uri: string | null
  /** Where the provider reports that a person has signed out there. */
  back_channel_uri: string | null
  installation: string | null
}

/** `invited_by` is an e-mail; null when the user was deleted. */
export type Invitation = {
  id: string
  email: string
  role: Role
  invited_by: string | null
  expires_at: string
  created_at: string
}

/** The token is only returned here, and is null when the link was sent by e-mail. */
export type CreatedInvitation = {
  id: string
  email: string
  token: string | null
  is_mailed: boolean
  expires_at: string
}

/** A link for a new password of a member. The token is null when it was sent by e-mail. */
export type ResetLink = { email: string; token: string | null; expires_at: string }

export type ResetPreview = { email: string }

/** An address that replaces the present one when both have confirmed it. */
export type EmailChange = {
  email: string
  is_confirmed_by_old: boolean
  is_confirmed_by_new: boolean
  expires_at: string
}

/** Shown to the holder of a link, which was sent to the old or to the new address. */
export type EmailChangePreview = EmailChange & { former: string; side: 'old' | 'new' }

/** Shown to the holder of the link before they accept. It reveals no account. */
export type InvitationPreview = {
  organization: string
  email: string
  role: Role
  expires_at: string
}

export type OwnPasskey = {
  id: string
  name: string
  created_at: string
  last_used_at: string | null
}

export type OwnSession = {
  id: string
  created_at: string
  /** The last refresh; a session in use is refreshed every few minutes. */
  last_seen_at: string
  user_agent: string | null
  /** `Firefox on Linux` */
  browser: string
  /** Address of the last refresh. */
  address: string | null
  /** Whether this session sent the request. */
  is_current: boolean
}

/** The device code is a secret of the program; the user code is typed into the console. */
export type DeviceCodes = {
  device_code: string
  user_code: string
  expires_in_seconds: number
  interval_seconds: number
}

export type DeviceSignInPreview = { program: string; address: string; created_at: string }

export type ProgramToken =
  | { status: 'pending' | 'denied' }
  | {
      status: 'approved'
      access_token: string
      expires_at: string
      org_id: string
      organization: string
    }
