/** The organization and mode of the page. Both are in the address. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { useSearch } from 'wouter'

export type Role = 'owner' | 'admin' | 'member'
export type Plan = 'free' | 'starter' | 'business'
export type Mode = 'live' | 'test'

/** An organization of the signed-in user, from `/console/api/me`. */
export type OwnOrganization = {
  id: string
  name: string
  plan: Plan
  role: Role
  requires_second_factor: boolean
  /** The provider that the organization requires, and whether this session has to sign in there first. */
  required_provider: 'own' | 'installation' | null
  requires_single_sign_on: boolean
}
export type Me = {
  user_id: string
  email: string
  has_second_factor: boolean
  /** Whether the session was started by a provider. */
  by_provider: boolean
  organizations: OwnOrganization[]
}

type CurrentOrganization = { me: Me; organization: OwnOrganization }

export const OrganizationContext = createContext<CurrentOrganization | undefined>(undefined)

export function useMe(): Me {
  return useCurrent().me
}

/** @returns the organization, with whether the user may administer it */
export function useOrg(): OwnOrganization & { is_admin: boolean } {
  const { organization } = useCurrent()
  return { ...organization, is_admin: organization.role !== 'member' }
}

export function useMode(): Mode {
  return new URLSearchParams(useSearch()).get('mode') === 'test' ? 'test' : 'live'
}

/** Parameters of almost every query. Test data and live data are never shown together. */
export function useScope(): { org_id: string; mode: Mode } {
  const { id: org_id } = useOrg()
  return { org_id, mode: useMode() }
}

function useCurrent(): CurrentOrganization {
  const current = useContext(OrganizationContext)
  if (!current) throw new Error('There is no organization in the context')
  return current
}
