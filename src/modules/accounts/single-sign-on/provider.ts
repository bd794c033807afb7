/**
 * Decides e-mail, role and second factor of a person: pure functions of the claims of a verified ID token and of the
 * settings of the provider.
 */
import { ROLES, type Role, type RoleMapping } from '../tables.ts'

/** @property org_id undefined for the provider of the installation, which reaches all organizations of a user */
export type Provider = {
  org_id: string | undefined
  issuer: string
  client_id: string
  client_secret: string
  scopes: string
  email_domains: readonly string[]
  role_claim: string | null
  roles: RoleMapping
  default_role: Role | null
  trusts_factor: boolean
  /** The organization that people join; undefined where new people are refused. */
  joins: string | undefined
  /** When it was changed; undefined for the one of the settings. */
  updated_at: Date | undefined
}

export type Claims = Readonly<Record<string, unknown>> & { sub: string }

/** Why a person whom the provider has identified may not sign in. */
export type PersonRefused =
  | 'email_missing'
  | 'email_unverified'
  | 'email_domain'
  | 'no_role'
  | 'unknown_person'

const EMAIL_MAX_CHARS = 320
/** Methods of RFC 8176 that are several factors, or unlock a key of a device. */
const STRONG_METHODS: readonly unknown[] = ['mfa', 'hwk', 'swk', 'otp', 'fido', 'phr', 'phrh']

/** The e-mail of a person, which the provider has to have verified. */
export function emailOf(
  { email_domains }: Pick<Provider, 'email_domains'>,
  { email, email_verified }: Claims,
): { email: string } | { refused: PersonRefused } {
  const isText = typeof email === 'string' && email !== '' && email.length <= EMAIL_MAX_CHARS
  if (!isText) return { refused: 'email_missing' }
  // Some providers send it as text.
  if (email_verified !== true && email_verified !== 'true') return { refused: 'email_unverified' }
  const domain = domainOf(email)
  if (email_domains.length > 0 && !email_domains.some((each) => each.toLowerCase() === domain)) {
    return { refused: 'email_domain' }
  }
  return { email }
}

export const domainOf = (email: string): string =>
  email
    .slice(email.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase()

/** @returns undefined where the groups of a person give none */
export function roleOf(
  { role_claim, roles, default_role }: Pick<Provider, 'role_claim' | 'roles' | 'default_role'>,
  claims: Claims,
): Role | undefined {
  const groups: unknown[] = role_claim === null ? [] : [claims[role_claim] ?? []].flat()
  const named = new Map(Object.entries(roles))
  const found = groups.map((group) => (typeof group === 'string' ? named.get(group) : undefined))
  return ROLES.find((role) => found.includes(role)) ?? default_role ?? undefined
}

/** Whether the sign-in at the provider counts as one with a second factor. */
export const isStrong = (
  { trusts_factor }: Pick<Provider, 'trusts_factor'>,
  { amr }: Claims,
): boolean =>
  trusts_factor || (Array.isArray(amr) && amr.some((each) => STRONG_METHODS.includes(each)))
