/** The organisation and the mode that the page is about. Both are in the address. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { useSearch } from 'wouter'

export type Role = 'owner' | 'admin' | 'member'
export type Plan = 'free' | 'starter' | 'business'
export type Mode = 'live' | 'test'

/** One that the signed-in user belongs to, as `/console/api/me` tells it. */
export type OwnOrganization = { id: string; name: string; plan: Plan; role: Role }
export type Me = { user_id: string; email: string; organizations: OwnOrganization[] }

export type Desk = { me: Me; organization: OwnOrganization }

export const DeskContext = createContext<Desk | undefined>(undefined)

export function useMe(): Me {
  return useDesk().me
}

/** @returns the organisation, with whether the user may administer it */
export function useOrg(): OwnOrganization & { is_admin: boolean } {
  const { organization } = useDesk()
  return { ...organization, is_admin: organization.role !== 'member' }
}

/** Test data and live data are never seen together. */
export function useMode(): Mode {
  return new URLSearchParams(useSearch()).get('mode') === 'test' ? 'test' : 'live'
}

function useDesk(): Desk {
  const desk = useContext(DeskContext)
  if (!desk) throw new Error('There is no organisation around this')
  return desk
}
